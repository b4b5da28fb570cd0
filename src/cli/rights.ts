import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { timeText } from '../lib/words.js';
import type { Finding } from './finding.js';

/** Bits of the capability sets in `/proc/PID/status`, as in linux/capability.h. */
const NET_ADMIN = 12n;

interface Account {
  /** The panel that runs or last ran. When it does not run, this process is judged, with the rights of whoever asks. */
  readonly pid: number | null;
  /** The search path. */
  readonly path: string | undefined;
  /** Where Debian keeps the programs of administrators. */
  readonly adminPath?: string;
  readonly proc?: string;
}

/** What the account of the panel may do. None of it is a fault of the data. */
export function examineRights({
  pid: noted,
  path,
  adminPath = '/usr/sbin:/sbin',
  proc = '/proc',
}: Account): readonly Finding[] {
  const pid = noted !== null && isPanel(`${proc}/${noted}/cmdline`) ? noted : null;
  const whose = pid === null ? 'this account' : `the panel (pid ${pid})`;
  const { uid, capabilities } = statusOf(`${proc}/${pid ?? 'self'}/status`);
  if (uid === null) return [{ what: 'account', ok: false, note: true, detail: `nothing can be read about ${whose}` }];
  const missing = [
    ...(has(path, 'ss') ? [] : ['the program ss is not on PATH (install iproute2)']),
    ...((capabilities >> NET_ADMIN) % 2n === 1n ? [] : [`${whose} has no CAP_NET_ADMIN`]),
  ];
  const account: Finding =
    uid === 0
      ? { what: 'account', ok: false, note: true, detail: `${whose} is root, and an account of its own is enough` }
      : { what: 'account', ok: true, detail: `${whose} is user ${uid}` };
  const cut: Finding =
    missing.length === 0
      ? { what: 'cutting', ok: true, detail: 'the connections of one client can be ended' }
      : {
          what: 'cutting',
          ok: false,
          note: true,
          detail: `${missing.join(' and ')}: a client that is cut costs a restart of the core, and what an address over its IP limit has open goes on`,
        };
  return [account, cut, ...(cut.ok ? [flowFinding(`${path ?? ''}${delimiter}${adminPath}`)] : [])];
}

function flowFinding(path: string): Finding {
  const what = 'cutting over UDP';
  if (has(path, 'nft')) return { what, ok: true, detail: 'the UDP flow of one client can be blocked' };
  const detail =
    'the program nft is not installed (install nftables): some clients of hysteria, mKCP and HTTP/3 that are cut cost a restart of the core';
  return { what, ok: false, note: true, detail };
}

/** The number may belong to another process by now. */
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

/** More than a clock that is kept in step ever jumps back, in ms. */
const JUMP_MS = 60_000;

/** Whether the clock of the machine fits the log. Expiries, two-factor codes and certificates depend on it. */
export function examineClock(lastEventAt: number, now: number): Finding {
  if (lastEventAt - now <= JUMP_MS) return { what: 'clock', ok: true, detail: `it is ${timeText(now)}` };
  const detail = `it is ${timeText(now)} here, and the last event was written at ${timeText(lastEventAt)}`;
  return { what: 'clock', ok: false, note: true, detail };
}
