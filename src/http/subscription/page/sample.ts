import { infoPagePolicy } from './assets.js';
import { type InfoPage, infoPage } from './page.js';

const GB = 1024 ** 3;
const DAY_MS = 86_400_000;
const HOST = 'https://subscription.example';

/** The texts of the page that settings determine, and how its times are shown. */
type Given = Pick<InfoPage, 'title' | 'announce' | 'supportUrl' | 'language' | 'zone' | 'calendar' | 'now'>;

/** The policy of the page in a frame of the panel. */
export const samplePagePolicy = infoPagePolicy.replace("frame-ancestors 'none'", "frame-ancestors 'self'");

/**
 * The page of a made-up subscription, for a preview: 12 of 50 GB used, 30 days left, two links. It has neither scripts nor
 * addresses to open.
 */
export function samplePage(given: Given): string {
  const link = (name: string) => {
    const url = `vless://00000000-0000-4000-8000-000000000000@server.example:443?security=tls#${name}`;
    return { name, url, code: url };
  };
  const page = infoPage({
    ...given,
    subId: 'sample',
    url: `${HOST}/sub/sample`,
    otherUrls: [],
    jsonUrl: null,
    clashUrl: null,
    singBoxUrl: null,
    clients: [{ up: 2 * GB, down: 10 * GB, capBytes: 50 * GB, expiresAt: given.now + 30 * DAY_MS }],
    lastOnline: given.now,
    links: [link('server-1'), link('server-2')],
    ...{ system: null, code: 0 },
  });
  return page.replace(/<script>[^]*<\/script>/, '').replaceAll(/ href="[^"]*"/g, '');
}
