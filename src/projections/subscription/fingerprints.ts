/** The TLS fingerprints that the core accepts. It does not start with another name. */
const PRESETS = 'chrome firefox safari ios android edge 360 qq random randomized randomizednoalpn unsafe';

/** The names of the uTLS library, which begin with `hello`. */
const HELLOS = [
  'golang randomized randomizedalpn randomizednoalpn android_11_okhttp',
  'chrome_auto chrome_58 chrome_62 chrome_70 chrome_72 chrome_83 chrome_87 chrome_96 chrome_100 chrome_102',
  'chrome_106_shuffle chrome_120 chrome_131 chrome_133 chrome_100_psk chrome_112_psk_shuf',
  'chrome_114_padding_psk_shuf chrome_115_pq chrome_115_pq_psk chrome_120_pq',
  'firefox_auto firefox_55 firefox_56 firefox_63 firefox_65 firefox_99 firefox_102 firefox_105 firefox_120 firefox_148',
  'ios_auto ios_11_1 ios_12_1 ios_13 ios_14 edge_auto edge_85 edge_106 safari_auto safari_16_0 safari_26_3',
  '360_auto 360_7_5 360_11_0 qq_auto qq_11_1',
].join(' ');

export const FINGERPRINTS: ReadonlySet<string> = new Set([
  ...PRESETS.split(' '),
  ...HELLOS.split(' ').map((name) => `hello${name}`),
]);
/** Not usable with REALITY. */
const WITHOUT_REALITY: ReadonlySet<string> = new Set(['unsafe', 'hellogolang']);

/** The fingerprint in lower case; empty if the core does not know it or cannot use it with REALITY. */
export function knownFingerprint(text: string, reality = false): string {
  const name = text.toLowerCase();
  return FINGERPRINTS.has(name) && !(reality && WITHOUT_REALITY.has(name)) ? name : '';
}
