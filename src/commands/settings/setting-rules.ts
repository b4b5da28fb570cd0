import type { SecretKey, SettingKey, Settings } from '../../events/settings/settings.js';
import { sameJson } from '../../lib/json.js';
import { Networks } from '../../lib/net/networks.js';
import { message } from '../../messages/message.js';
import { layers, overlap } from '../inbound/inbound-rules.js';
import type { SettingProblem } from '../rejection.js';
import type { PanelState } from '../state.js';

/** The settings that determine where a stored secret is sent. */
const DESTINATIONS: readonly (readonly [SecretKey, readonly SettingKey[]])[] = [
  ['ldapPassword', ['ldapHost', 'ldapPort', 'ldapUseTLS']],
  ['chatBotToken', ['chatBotAPIServer']],
];

interface SettingsRequest {
  /** All requested keys, also those that do not change. */
  readonly named: ReadonlySet<string>;
  readonly trustEveryProxy: boolean;
  /** The new proxy of the bot; undefined = unchanged. */
  readonly newProxy: string | undefined;
}

/** Conflicts between settings. */
export function settingProblems(
  next: Settings,
  state: PanelState,
  { named, trustEveryProxy, newProxy = '' }: SettingsRequest,
): readonly SettingProblem[] {
  return [
    ...portProblems(next, state),
    ...pathProblems(next),
    ...certificateProblems(next, state.settings),
    ...destinationProblems(next, state, named, newProxy),
    ...(trustEveryProxy ? [] : proxyProblems(next, state.settings)),
  ];
}

function portProblems(next: Settings, { settings: current, inbounds }: PanelState): readonly SettingProblem[] {
  const problems: SettingProblem[] = [];
  if (next.subPort === next.webPort && overlap(next.subListen, next.webListen)) {
    problems.push({ key: 'subPort', why: message('settings.portShared') });
  }
  for (const [key, listen] of [
    ['webPort', next.webListen],
    ['subPort', next.subListen],
  ] as const) {
    if (next[key] === current[key]) continue;
    const holder = [...inbounds.values()].find(
      (inbound) =>
        inbound.port === next[key] &&
        overlap(inbound.listen, listen) &&
        layers(inbound.protocol, inbound.config).has('tcp'),
    );
    if (holder) problems.push({ key, why: message('settings.portOfInbound', { port: next[key], tag: holder.tag }) });
  }
  return problems;
}

/** Each kind of subscription needs its own path. */
function pathProblems({ subPath, subJsonPath, subClashPath }: Settings): readonly SettingProblem[] {
  const problems: SettingProblem[] = [];
  if (subJsonPath === subPath) problems.push({ key: 'subJsonPath', why: message('settings.pathOfLinks') });
  if (subClashPath === subPath || subClashPath === subJsonPath)
    problems.push({ key: 'subClashPath', why: message('settings.pathTaken') });
  return problems;
}

/** A certificate without its key, or a key without its certificate. The caller has checked the files. */
function certificateProblems(next: Settings, current: Settings): readonly SettingProblem[] {
  const pairs = [
    ['webCertFile', 'webKeyFile'],
    ['subCertFile', 'subKeyFile'],
  ] as const;
  return pairs.flatMap(([certificate, key]): readonly SettingProblem[] => {
    if (next[certificate] === current[certificate] && next[key] === current[key]) return [];
    if (next[certificate] === '' && next[key] !== '')
      return [{ key: certificate, why: message('settings.certificateMissing') }];
    if (next[certificate] !== '' && next[key] === '') return [{ key, why: message('settings.keyMissing') }];
    return [];
  });
}

/** A stored secret must be entered again when its destination changes. Otherwise a stolen session could redirect it. */
function destinationProblems(
  next: Settings,
  state: PanelState,
  named: ReadonlySet<string>,
  newProxy: string,
): readonly SettingProblem[] {
  // Without TLS the proxy can read the token.
  const read = newProxy !== '' && /^http:/i.test(next.chatBotAPIServer);
  return DESTINATIONS.filter(
    ([secret, keys]) =>
      (state.secrets.get(secret)?.value ?? '') !== '' &&
      !named.has(secret) &&
      (keys.some((key) => next[key] !== state.settings[key]) || (read && secret === 'chatBotToken')),
  ).map(([key]) => ({ key, why: message('settings.secretDestinationChanged') }));
}

/** Addresses far apart from each other. Networks that contain two of them are too large. */
const DISTANT_ADDRESSES = [
  ['9.9.9.9', '77.77.77.77', '133.133.133.133', '199.199.199.199'],
  ['2001:db8::1', '2408:ffff::1', '2620:ffff::1', '2a0e:ffff::1'],
] as const;

function proxyProblems(next: Settings, current: Settings): readonly SettingProblem[] {
  const changed = !sameJson(next.trustedProxyCIDRs, current.trustedProxyCIDRs);
  if (!changed || !trustsEveryAddress(next.trustedProxyCIDRs)) return [];
  return [{ key: 'trustedProxyCIDRs', why: message('settings.proxiesTooWide') }];
}

/** Tests addresses, because `::/2`, `::ffff:0:0/96` or many small networks may also contain all of IPv4. */
function trustsEveryAddress(cidrs: readonly string[]): boolean {
  const networks = new Networks(cidrs);
  return DISTANT_ADDRESSES.some((corners) => corners.filter((address) => networks.holds(address)).length > 1);
}
