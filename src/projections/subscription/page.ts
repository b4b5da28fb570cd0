import { hash } from 'node:crypto';
import { formatBytes } from './name.js';
import { type ClientUsage, totalUsage } from './usage.js';

export interface InfoPage {
  readonly subId: string;
  /** Heading; empty = the subscription's id. */
  readonly title: string;
  readonly announce: string;
  /** Shown as a link when it leads to a page, a chat or a mailbox. */
  readonly supportUrl: string;
  /** URL of the subscription, as an app fetches it. */
  readonly url: string;
  /** Whether any client of the subscription may connect. */
  readonly active: boolean;
  /** Every client of the subscription, those that may not connect included. */
  readonly clients: readonly ClientUsage[];
  readonly links: readonly { readonly name: string; readonly url: string }[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

const STYLE = `:root{color-scheme:light dark}*{box-sizing:border-box}
body{margin:0 auto;max-width:44rem;padding:1.5rem 1rem;font:16px/1.5 system-ui,sans-serif;background:#f6f7f9;color:#1b2330}
h1{font-size:1.4rem;margin:0 0 1rem;overflow-wrap:anywhere}h2{font-size:1rem;margin:0 0 .5rem}
section{background:#fff;border:1px solid #dfe3e8;border-radius:.6rem;padding:1rem;margin:0 0 1rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.2rem 1rem;margin:0}dt{opacity:.7}dd{margin:0;text-align:end}
progress{width:100%;height:.8rem;margin:.8rem 0 0;accent-color:#2f6fed}
ul{list-style:none;margin:0;padding:0}li+li{margin-top:.8rem}p{white-space:pre-line;overflow-wrap:anywhere;margin:0}
code{display:block;padding:.5rem;border-radius:.4rem;background:#eef1f5;font-size:.8rem;overflow-wrap:anywhere;user-select:all;-webkit-user-select:all}
.on{color:#18794e}.off{color:#c62a2f}a{color:#2f6fed}
@media(prefers-color-scheme:dark){body{background:#12161c;color:#e3e8ef}section{background:#1a2029;border-color:#2c3542}code{background:#0f1319}.on{color:#4cc38a}.off{color:#ff8589}a{color:#7ea6ff}}`;

/** The policy that the page must be sent with: its own style and nothing else. */
export const infoPagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A page without scripts that tells a user what is left, and gives the links to copy. */
export function infoPage(page: InfoPage): string {
  const title = page.title || page.subId;
  const { up, down, capBytes } = totalUsage(page.clients);
  const used = up + down;
  const rows: readonly (readonly [string, string])[] = [
    ['Subscription', escaped(page.subId)],
    ['Status', page.active ? '<span class="on">Active</span>' : '<span class="off">Inactive</span>'],
    ['Downloaded', formatBytes(down)],
    ['Uploaded', formatBytes(up)],
    ['Used', capBytes > 0 ? `${formatBytes(used)} of ${formatBytes(capBytes)}` : formatBytes(used)],
    ['Remaining', capBytes > 0 ? formatBytes(capBytes - used) : 'Unlimited'],
    ['Expires', expiryText(page.clients, page.now)],
  ];
  const bar =
    capBytes > 0 ? `<progress aria-label="Used" max="${capBytes}" value="${Math.min(used, capBytes)}"></progress>` : '';
  const links = page.links.map(({ name, url }) => `<li>${escaped(name)}<code>${escaped(url)}</code></li>`);
  const support = /^(https?|tg|mailto):/i.test(page.supportUrl);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title><style>${STYLE}</style></head><body>
<h1>${escaped(title)}</h1>
${page.announce === '' ? '' : `<section><p>${escaped(page.announce)}</p></section>`}
<section><dl>${rows.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join('')}</dl>${bar}</section>
<section><h2>Subscription link</h2><code>${escaped(page.url)}</code></section>
${links.length === 0 ? '' : `<section><h2>Single links</h2><ul>${links.join('\n')}</ul></section>`}
${support ? `<p><a href="${escaped(page.supportUrl)}" rel="noreferrer">Support</a></p>` : ''}
</body></html>
`;
}

/** Beyond it the calendar of JavaScript ends. */
const LAST_TIME = 8.64e15;
const CALENDAR = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

function expiryText(clients: readonly ClientUsage[], now: number): string {
  const { expiresAt } = totalUsage(clients);
  if (clients.some((client) => client.expiresAt !== expiresAt)) return 'Not the same for all links';
  if (expiresAt === 0) return 'Never';
  if (expiresAt < 0) return `${days(-expiresAt)} after the first use`;
  const when = `${CALENDAR.format(Math.min(expiresAt, LAST_TIME))} UTC`;
  return expiresAt > now ? `${when} (${days(expiresAt - now)} left)` : `${when} (expired)`;
}

function days(milliseconds: number): string {
  const count = Math.ceil(milliseconds / 86_400_000);
  return count === 1 ? '1 day' : `${count} days`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
