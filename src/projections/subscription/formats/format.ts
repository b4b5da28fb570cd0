/** The forms of a subscription. `links` is base64 or plain text, as the settings say. */
export type Format = 'links' | 'base64' | 'plain' | 'xray' | 'clash' | 'sing-box';

/** The form that an answer has. `isGuess`: nobody asked for it, the app only looks as if it wanted it. */
export interface Choice {
  readonly format: Format;
  readonly isGuess: boolean;
}

/** What `?format=` may say; people know each form by several names. */
const NAMES: Readonly<Record<string, Format>> = {
  links: 'links',
  base64: 'base64',
  v2ray: 'base64',
  plain: 'plain',
  text: 'plain',
  json: 'xray',
  xray: 'xray',
  'v2ray-json': 'xray',
  clash: 'clash',
  mihomo: 'clash',
  'clash-meta': 'clash',
  'sing-box': 'sing-box',
  singbox: 'sing-box',
};

/** The form that a caller asked for by name; null for a name that is none. */
export function formatNamed(name: string): Format | null {
  const key = name.toLowerCase();
  return Object.hasOwn(NAMES, key) ? (NAMES[key] ?? null) : null;
}

/**
 * Apps that want another form than links, by how their User-Agent begins. Anchored: Hiddify names every other app in its
 * own. What is not here takes links.
 */
const APPS: readonly (readonly [RegExp, Format])[] = [
  [/^(?:sfa|sfi|sfm|sft|sing-?box|karing|hiddifynext)/i, 'sing-box'],
  [/^(?:clash|mihomo|flclash|stash|flowvy|murge|prizrak-box|koala-clash|nyanpasu)/i, 'clash'],
];

/** The form that an app expects where it only knows the address of the links. */
export function formatOfApp(userAgent: string): Format {
  return APPS.find(([pattern]) => pattern.test(userAgent))?.[1] ?? 'links';
}
