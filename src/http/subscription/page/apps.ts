/** The data for an app link: a URL for each format that supports the links, and the name of the subscription. */
interface Offer {
  /** Null when none of the links has a URL. */
  readonly url: string | null;
  /** Null when the format supports none of the links or is disabled. */
  readonly singBoxUrl: string | null;
  readonly clashUrl: string | null;
  readonly name: string;
}

interface App {
  readonly name: string;
  readonly systems: string;
  /** The URL that opens the app with the subscription; null when the app cannot import it. */
  readonly address: (offer: Offer) => string | null;
}

const enc = encodeURIComponent;
type Address = (url: string, name: string) => string;
const links =
  (address: Address) =>
  ({ url, name }: Offer): string | null =>
    url && address(url, name);
const clash =
  (scheme: string) =>
  ({ clashUrl, name }: Offer): string | null =>
    clashUrl && `${scheme}://install-config?url=${enc(clashUrl)}&name=${enc(name)}`;

/** URL schemes from the documentation of each app. Apps that expect the URL unencoded treat a fragment as the name. */
const apps: readonly App[] = [
  { name: 'Happ', systems: 'Android, iOS, Windows, macOS', address: links((url) => `happ://add/${url}`) },
  {
    name: 'Hiddify',
    systems: 'Android, iOS, Windows, macOS, Linux',
    address: links((url, name) => `hiddify://import/${url}#${enc(name)}`),
  },
  {
    name: 'v2rayNG',
    systems: 'Android',
    address: links((url, name) => `v2rayng://install-config?url=${enc(url)}&name=${enc(name)}`),
  },
  {
    name: 'V2Box',
    systems: 'Android, iOS',
    address: links((url, name) => `v2box://install-sub?url=${enc(url)}&name=${enc(name)}`),
  },
  { name: 'Streisand', systems: 'iOS', address: links((url, name) => `streisand://import/${url}#${enc(name)}`) },
  {
    name: 'Shadowrocket',
    systems: 'iOS',
    address: links(
      (url, name) => `shadowrocket://add/sub://${Buffer.from(url).toString('base64url')}?remark=${enc(name)}`,
    ),
  },
  {
    name: 'sing-box',
    systems: 'Android, iOS',
    address: ({ singBoxUrl, name }) =>
      singBoxUrl && `sing-box://import-remote-profile?url=${enc(singBoxUrl)}#${enc(name)}`,
  },
  { name: 'FlClash', systems: 'Android, Windows, macOS, Linux', address: clash('flclash') },
  { name: 'Clash Verge', systems: 'Windows, macOS, Linux', address: clash('clash') },
  { name: 'Stash', systems: 'iOS, macOS', address: clash('stash') },
];

/** A link that opens an app with the subscription. `fits`: the app runs on the given system. */
export interface AppLink {
  readonly name: string;
  readonly systems: string;
  readonly address: string;
  readonly fits: boolean;
}

/** Every app that can import this subscription. `system` by its name; null = unknown, which fits every app. */
export function appsFor(offer: Offer, system: System | null): readonly AppLink[] {
  return apps.flatMap(({ name, systems, address }) => {
    const found = address(offer);
    const fits = system === null || systems.split(', ').includes(system);
    return found === null ? [] : [{ name, systems, address: found, fits }];
  });
}

/** The order matters: Android also reports Linux, and Apple phones also report Mac OS. */
const SYSTEMS = [
  ['Android', /android/i],
  ['iOS', /iphone|ipad|ipod/i],
  ['Windows', /windows/i],
  ['macOS', /mac os|macintosh/i],
  ['Linux', /linux/i],
] as const;
export type System = (typeof SYSTEMS)[number][0];

/** The operating system in a User-Agent, if any. */
export function systemOf(userAgent: string): System | null {
  return SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? null;
}
