/** What a user agent says of itself. Every browser claims to be several others, so the first match counts. */
export interface Device {
  /** Empty = not known. */
  readonly browser: string;
  readonly system: string;
  readonly kind: 'phone' | 'computer' | 'program';
}

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|OPiOS)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bWindows\b/, 'Windows'],
  [/\bAndroid\b/, 'Android'],
  [/\biPad\b/, 'iPadOS'],
  [/\biPhone\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];
const MAX_NAME_CHARS = 40;

const matchIn = (list: typeof BROWSERS, agent: string): string =>
  list.find(([pattern]) => pattern.test(agent))?.[1] ?? '';

export function deviceOf(agent: string): Device {
  const browser = matchIn(BROWSERS, agent);
  const system = matchIn(SYSTEMS, agent);
  if (browser !== '') return { browser, system, kind: /Mobi|Android|iPad/.test(agent) ? 'phone' : 'computer' };
  // A program names itself first: "curl/8.5.0".
  return { browser: (agent.split(/[\s/]/)[0] ?? '').slice(0, MAX_NAME_CHARS), system, kind: 'program' };
}
