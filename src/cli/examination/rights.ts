import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { timeText } from '../../lib/words.js';
import { message, type Text } from '../../messages/message.js';
import { type Finding, good, note } from './finding.js';

/** Bits of the capability sets in `/proc/PID/status`, as in linux/capability.h. */
const NET_ADMIN = 12n;

interface Account {
  /** The panel that runs or last ran. When it does not run, the account of this process is checked. */
  readonly pid: number | null;
  /** The search path. */
  readonly path: string | undefined;
  /** Where Debian keeps the programs of administrators. */
  readonly adminPath?: string;
  readonly proc?: string;
}

/** Checks what the account of the panel may do. A missing right is no error in the data. */
export function examineRights({
  pid: lastPid,
  path,
  adminPath = '/usr/sbin:/sbin',
  proc = '/proc',
}: Account): readonly Finding[] {
  const pid = lastPid !== null && isPanel(`${proc}/${lastPid}/cmdline`) ? lastPid : null;
  const whose = pid === null ? message('cli.whoseAccount') : message('cli.whosePanel', { pid });
  const account = message('cli.checkAccount');
  const { uid, capabilities } = statusOf(`${proc}/${pid ?? 'self'}/status`);
  if (uid === null) return [note(account, message('cli.accountUnreadable', { whose }))];
  const missing: Text[] = [
    ...(has(path, 'ss') ? [] : [message('cli.missingSs')]),
    ...((capabilities >> NET_ADMIN) % 2n === 1n ? [] : [message('cli.missingCapability', { whose })]),
  ];
  const what = message('cli.checkDisconnect');
  return [
    uid === 0
      ? note(account, message('cli.accountRoot', { whose }))
      : good(account, message('cli.accountUser', { whose, uid })),
    missing.length === 0
      ? good(what, message('cli.disconnectWorks'))
      : note(what, message('cli.disconnectMissing', { missing })),
    ...(missing.length === 0 ? [examineUdp(`${path ?? ''}${delimiter}${adminPath}`)] : []),
  ];
}

function examineUdp(path: string): Finding {
  const what = message('cli.checkDisconnectUdp');
  return has(path, 'nft') ? good(what, message('cli.udpWorks')) : note(what, message('cli.udpMissing'));
}

/** Whether the process is a panel: its number may belong to another program by now. */
function isPanel(commandLine: string): boolean {
  try {
    return readFileSync(commandLine, 'utf8').split('\0').includes('serve');
  } catch {
    return false;
  }
}

function statusOf(file: string): { readonly uid: number | null; readonly capabilities: bigint } {
  try {
    const text = readFileSync(file, 'utf8');
    const uid = /^Uid:\s+\d+\s+(\d+)/m.exec(text)?.[1];
    const effective = /^CapEff:\s+([0-9a-f]+)$/m.exec(text)?.[1] ?? '0';
    return { uid: uid === undefined ? null : Number(uid), capabilities: BigInt(`0x${effective}`) };
  } catch {
    return { uid: null, capabilities: 0n };
  }
}

function has(path: string | undefined, program: string): boolean {
  return (path ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}

/** A synchronised clock never jumps back by more than this, in ms. */
const JUMP_MS = 60_000;

/** Whether the clock of the machine fits the log. Expiries, two-factor codes and certificates depend on it. */
export function examineClock(lastEventAt: number, now: number): Finding {
  const what = message('cli.checkClock');
  if (lastEventAt - now <= JUMP_MS) return good(what, message('cli.clockGood', { now: timeText(now) }));
  return note(what, message('cli.clockBehind', { now: timeText(now), last: timeText(lastEventAt) }));
}
