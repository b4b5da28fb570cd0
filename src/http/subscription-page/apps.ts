/** What an app is given: the address of the subscription, the one for Clash, and how it is called. */
export interface Offer {
  readonly url: string;
  /** Null where the admin does not offer that form. */
  readonly clashUrl: string | null;
  readonly name: string;
}

interface App {
  readonly name: string;
  readonly systems: string;
  /** The address that opens the app with the subscription; null when it cannot take this one. */
  readonly address: (offer: Offer) => string | null;
}

const enc = encodeURIComponent;
const clash =
  (scheme: string) =>
  ({ clashUrl, name }: Offer): string | null =>
    clashUrl === null ? null : `${scheme}://install-config?url=${enc(clashUrl)}&name=${enc(name)}`;

/** Schemes by the documents of each app; those that want the address as it is take what follows it as a name. */
const apps: readonly App[] = [
  { name: 'Happ', systems: 'Android, iOS, Windows, macOS', address: ({ url }) => `happ://add/${url}` },
  {
    name: 'Hiddify',
    systems: 'Android, iOS, Windows, macOS, Linux',
    address: ({ url, name }) => `hiddify://import/${url}#${enc(name)}`,
  },
  {
    name: 'v2rayNG',
    systems: 'Android',
    address: ({ url, name }) => `v2rayng://install-config?url=${enc(url)}&name=${enc(name)}`,
  },
  {
    name: 'V2Box',
    systems: 'Android, iOS',
    address: ({ url, name }) => `v2box://install-sub?url=${enc(url)}&name=${enc(name)}`,
  },
  { name: 'Streisand', systems: 'iOS', address: ({ url, name }) => `streisand://import/${url}#${enc(name)}` },
  {
    name: 'Shadowrocket',
    systems: 'iOS',
    address: ({ url, name }) =>
      `shadowrocket://add/sub://${Buffer.from(url).toString('base64url')}?remark=${enc(name)}`,
  },
  {
    name: 'sing-box',
    systems: 'Android, iOS',
    address: ({ url, name }) => `sing-box://import-remote-profile?url=${enc(`${url}?format=sing-box`)}#${enc(name)}`,
  },
  { name: 'FlClash', systems: 'Android, Windows, macOS, Linux', address: clash('flclash') },
  { name: 'Clash Verge', systems: 'Windows, macOS, Linux', address: clash('clash') },
  { name: 'Stash', systems: 'iOS, macOS', address: clash('stash') },
];

/** Every app that can be opened with this subscription. */
export function appsFor(
  offer: Offer,
): readonly { readonly name: string; readonly systems: string; readonly address: string }[] {
  return apps.flatMap(({ name, systems, address }) => {
    const found = address(offer);
    return found === null ? [] : [{ name, systems, address: found }];
  });
}
