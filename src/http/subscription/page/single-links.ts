import { type Language } from '../../../messages/language.js';
import { copied, escaped, type Translate } from './markup.js';
import { MAX_CODE_BYTES, qrCode } from './qr.js';

export interface SingleLink {
  readonly name: string;
  readonly url: string;
  /** The content of its QR code: the URL, or the part of it that is needed to connect. */
  readonly code: string;
}

interface Shown {
  readonly links: readonly SingleLink[];
  /** The link, counted from 1, whose QR code was requested; 0 = none. */
  readonly code: number;
  readonly language: Language;
}

/** The markup of a single link. */
const ITEM = 10;

interface Item {
  readonly at: number;
  readonly title: string;
  readonly text: string;
  /** A link to this page with its QR code; empty when it does not fit into a code. */
  readonly way: string;
}

/**
 * The links with QR codes, as many as fit into `room` bytes. The requested link comes with its code, and as many others as
 * fit; the rest are names with a link to the page that shows them.
 */
export function singleLinks({ links, code, language }: Shown, t: Translate, room: number): string {
  if (links.length === 0) return '';
  const items = links.map(({ name, url, code: content }, index): Item => {
    const at = index + 1;
    const way = `<a class="code" href="?html=1&amp;lang=${language}&amp;code=${at}#link${at}">${t('subscription-page.qrCode')}</a>`;
    return {
      at,
      title: `<h3 id="link${at}"><bdi>${escaped(name)}</bdi></h3>`,
      text: copied(url, t),
      way: Buffer.byteLength(content) > MAX_CODE_BYTES ? '' : way,
    };
  });
  const drawn = (at: number): string => {
    const { url = '', code: content = '' } = links[at - 1] ?? {};
    const svg = qrCode(content, t('subscription-page.qrOfLink'));
    const note = content === url ? '' : `<p>${t('subscription-page.withoutPostQuantumKey')}</p>`;
    return (
      svg &&
      `<details${at === code ? ' open' : ''}><summary>${t('subscription-page.qrCode')}</summary>${svg}${note}</details>`
    );
  };
  const lines = code > 0 && code <= links.length ? others(code, items, drawn, room) : withCodes(items, drawn, room);
  const list = lines.map((line) => `<li>${line}</li>`).join('\n');
  return `<section><h2>${t('subscription-page.singleLinks')}</h2><ul>${list}</ul></section>\n`;
}

function withCodes(items: readonly Item[], drawn: (at: number) => string, room: number): readonly string[] {
  let bytesLeft = room - sizeOf(items.map(({ title, text, way }) => title + text + way));
  return items.map(({ at, title, text, way }) => {
    // After one code did not fit, no more are drawn just to measure them.
    const shown = bytesLeft > 0 ? drawn(at) : '';
    bytesLeft -= Buffer.byteLength(shown);
    return title + text + (shown !== '' && bytesLeft >= 0 ? shown : way);
  });
}

function others(code: number, items: readonly Item[], drawn: (at: number) => string, room: number): readonly string[] {
  const asked = ({ title, text }: Item): string => title + text + drawn(code);
  const least = items.map((item) => {
    if (item.at === code) return asked(item);
    return item.title + (item.way || item.text);
  });
  let bytesLeft = room - sizeOf(least);
  return items.map(({ at, title, text, way }, index) => {
    bytesLeft -= at === code || way === '' ? 0 : Buffer.byteLength(text);
    return at === code || way === '' || bytesLeft < 0 ? (least[index] ?? '') : title + text + way;
  });
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + ITEM, 0);
}
