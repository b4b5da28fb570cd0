/** The formats of a subscription. `links` is base64 or plain text, depending on the settings. */
export type Format = 'links' | 'base64' | 'plain' | 'xray' | 'clash' | 'sing-box';

/** The format of an answer. `isGuess`: chosen by the User-Agent, not requested. */
export interface Choice {
  readonly format: Format;
  readonly isGuess: boolean;
}

/** Values of `?format=`. Each format has several names. */
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

/** The format with a name; null for an unknown name. */
export function formatNamed(name: string): Format | null {
  const key = name.toLowerCase();
  return Object.hasOwn(NAMES, key) ? (NAMES[key] ?? null) : null;
}

/**
 * Apps that expect another format than links, by the beginning of their User-Agent. Anchored, because Hiddify lists other apps
 * in its User-Agent.
 */
const APPS: readonly (readonly [RegExp, Format])[] = [
  [/^(?:sfa|sfi|sfm|sft|sing-?box|karing|hiddifynext)/i, 'sing-box'],
  [/^(?:clash|mihomo|flclash|stash|flowvy|murge|prizrak-box|koala-clash|nyanpasu)/i, 'clash'],
];

/** The format that an app expects at the URL for links. */
export function formatOfApp(userAgent: string): Format {
  return APPS.find(([pattern]) => pattern.test(userAgent))?.[1] ?? 'links';
}
