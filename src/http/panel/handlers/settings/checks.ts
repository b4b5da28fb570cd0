import { isIP } from 'node:net';
import type { SettingProblem } from '../../../../commands/rejection.js';
import { type SettingKey, type Settings, settingsTable } from '../../../../events/settings/settings.js';
import { Networks } from '../../../../lib/net/networks.js';
import { privateNetworks } from '../../../../lib/net/private-networks.js';
import { isText, type MessageCode, message, type Text } from '../../../../messages/message.js';
import type { Needs } from '../../context.js';

/** The settings that need a check by the machine. */
const MACHINE: readonly SettingKey[] = [
  ...(['webListen', 'webPort', 'webCertFile', 'webKeyFile'] as const),
  ...(['subListen', 'subPort', 'subCertFile', 'subKeyFile'] as const),
  ...(['proofFile', 'proofGit'] as const),
];

/** Addresses that are valid but that the `Web` port would reject. */
export const PRIVATE_ADDRESS = message('settings.addressPrivate');

const near = new Networks(privateNetworks);

export type Machine = Needs<'serverPortProblem' | 'certificateProblem' | 'headPlaceProblem' | 'web'>;

/** Whether `next` contains a change that only the machine can check. */
export function concernsMachine(current: Settings, next: Settings): boolean {
  return informs(current, next) || usesOtherServer(current, next) || MACHINE.some((key) => next[key] !== current[key]);
}

/** The settings after the change. An invalid value is left unchanged, because the decider reports it. */
export function settingsWith(current: Settings, changes: Readonly<Record<string, unknown>>): Settings {
  const parsed = Object.entries(changes).flatMap(([key, value]) => {
    if (!Object.hasOwn(settingsTable, key)) return [];
    const result = settingsTable[key as SettingKey].safeParse(value);
    return result.success ? [[key, result.data]] : [];
  });
  return { ...current, ...(Object.fromEntries(parsed) as Partial<Settings>) };
}

/**
 * The problems that the machine finds with the new settings: a port that cannot be bound, files that are not a certificate
 * and its key, a place for heads in the data directory, an address that the panel never contacts. Checked before anything is written, and only for changed settings.
 */
export async function machineProblems(
  machine: Machine,
  current: Settings,
  next: Settings,
): Promise<readonly SettingProblem[]> {
  const found = await Promise.all([
    portProblem(machine, current, next, 'webListen', 'webPort'),
    portProblem(machine, current, next, 'subListen', 'subPort'),
    pairProblem(machine, current, next, 'webCertFile', 'webKeyFile'),
    pairProblem(machine, current, next, 'subCertFile', 'subKeyFile'),
    informs(current, next) ? addressProblem(machine, next) : null,
    usesOtherServer(current, next) ? botProblem(machine, next) : null,
  ]);
  const places = (['proofFile', 'proofGit'] as const).map((key) => headPlaceProblem(machine, current, next, key));
  return [...found, ...places].filter((problem) => problem !== null);
}

async function portProblem(
  { serverPortProblem }: Machine,
  current: Settings,
  next: Settings,
  listen: 'webListen' | 'subListen',
  port: 'webPort' | 'subPort',
): Promise<SettingProblem | null> {
  if (next[port] === current[port] && next[listen] === current[listen]) return null;
  switch (await serverPortProblem(next[listen], next[port])) {
    case 'taken':
      return { key: port, why: message('settings.portTaken') };
    case 'forbidden':
      return { key: port, why: message('settings.portForbidden') };
    case 'no such address':
      return { key: listen, why: message('settings.addressNotHere') };
    default:
      return null;
  }
}

async function pairProblem(
  { certificateProblem }: Machine,
  current: Settings,
  next: Settings,
  certificate: 'webCertFile' | 'subCertFile',
  key: 'webKeyFile' | 'subKeyFile',
): Promise<SettingProblem | null> {
  const same = next[certificate] === current[certificate] && next[key] === current[key];
  // The decider reports a missing file name.
  if (same || next[certificate] === '' || next[key] === '') return null;
  const why = await certificateProblem(next[certificate], next[key]);
  return why === null ? null : { key: concernsKey(why) ? key : certificate, why };
}

function headPlaceProblem(
  machine: Machine,
  current: Settings,
  next: Settings,
  key: 'proofFile' | 'proofGit',
): SettingProblem | null {
  if (next[key] === '' || next[key] === current[key]) return null;
  const why = machine.headPlaceProblem(next[key]);
  return why === null ? null : { key, why };
}

const KEY_PROBLEMS: ReadonlySet<string> = new Set<MessageCode>([
  'certificate.keyFileNotPem',
  'certificate.keyMismatch',
  'certificate.unusable',
]);

/** Whether a problem of a certificate and its key is reported for the setting of the key. */
function concernsKey(problem: Text): boolean {
  if (!('code' in problem)) return false;
  const what = 'what' in problem.params ? problem.params.what : null;
  return KEY_PROBLEMS.has(problem.code) || (isText(what) && 'code' in what && what.code === 'certificate.key');
}

/** Whether traffic reports are sent to a new receiver. */
function informs(current: Settings, next: Settings): boolean {
  const { externalTrafficInformEnable: on, externalTrafficInformURI: uri } = next;
  return on && uri !== '' && !(current.externalTrafficInformEnable && current.externalTrafficInformURI === uri);
}

async function addressProblem(
  { web }: Machine,
  { externalTrafficInformURI }: Settings,
): Promise<SettingProblem | null> {
  const refused = (await web.problem(externalTrafficInformURI)) !== null;
  return refused ? { key: 'externalTrafficInformURI', why: PRIVATE_ADDRESS } : null;
}

/** Whether the bot would use another server. */
function usesOtherServer(current: Settings, { chatBotAPIServer }: Settings): boolean {
  return chatBotAPIServer !== '' && chatBotAPIServer !== current.chatBotAPIServer;
}

/** The token of the bot is part of every URL: without TLS the server must be on this machine or in a private network. */
async function botProblem({ web }: Machine, { chatBotAPIServer }: Settings): Promise<SettingProblem | null> {
  const key = 'chatBotAPIServer';
  if ((await web.problem(chatBotAPIServer)) !== null) return { key, why: PRIVATE_ADDRESS };
  const { protocol, hostname } = new URL(chatBotAPIServer);
  const isSafe = protocol === 'https:' || isNear(hostname);
  return isSafe ? null : { key, why: message('settings.botServerWithoutTls') };
}

function isNear(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return host === 'localhost' || (isIP(host) !== 0 && near.holds(host));
}
