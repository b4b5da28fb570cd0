import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { examineClock, examineRights } from '../../../src/cli/examination/rights.js';
import { inEnglish } from '../../../src/cli/output.js';
import { HOUR, T0 } from '../../kit/builders.js';

/** A folder with processes as the kernel shows them, and one with these programs. */
function machine(programs: readonly string[] = ['ss']) {
  const root = mkdtempSync(join(tmpdir(), 'portolan-rights-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const path = join(root, 'bin');
  mkdirSync(path);
  for (const program of programs) {
    writeFileSync(join(path, program), '');
    chmodSync(join(path, program), 0o755);
  }
  const add = (pid: number | 'self', args: readonly string[], uid: number, capabilities: string): void => {
    mkdirSync(join(root, `${pid}`));
    writeFileSync(join(root, `${pid}`, 'cmdline'), args.join('\0'));
    const status = `Name:\tnode\nUid:\t0\t${uid}\t${uid}\t${uid}\nCapInh:\t0\nCapEff:\t${capabilities}\n`;
    writeFileSync(join(root, `${pid}`, 'status'), status);
  };
  const lines = (pid: number | null) =>
    examineRights({ pid, path, adminPath: '', proc: root })
      .map(inEnglish)
      .map(({ what, ok, detail }) => `${ok ? 'ok' : 'NOTE'} ${what}: ${detail}`);
  return { add, lines };
}

const NOTHING = '0000000000000000';
const BOTH = '0000000000001400';

describe('what the account of the panel may do', () => {
  it('is checked for the running panel, not for the account of the command', () => {
    const { add, lines } = machine();
    add('self', ['node', 'doctor'], 0, '000001ffffffffff');
    add(77, ['node', 'dist/main.js', 'serve'], 998, BOTH);
    expect(lines(77)).toEqual([
      'ok account: the panel (pid 77) is user 998',
      'ok disconnecting: the connections of one client can be closed',
      'NOTE disconnecting over UDP: the program nft is not installed (install nftables): disconnecting some clients of Hysteria, mKCP ' +
        'and HTTP/3 restarts the core',
    ]);
  });

  it('is complete when both programs are installed', () => {
    const { add, lines } = machine(['ss', 'nft']);
    add(77, ['node', 'dist/main.js', 'serve'], 998, BOTH);
    expect(lines(77).at(-1)).toBe('ok disconnecting over UDP: the UDP flow of one client can be blocked');
  });

  it('is checked for the account of the command, when another process has the pid of a panel that ended', () => {
    const { add, lines } = machine([]);
    add('self', ['node', 'doctor'], 1000, NOTHING);
    add(77, ['sleep', '1'], 998, BOTH);
    expect(lines(77)).toEqual([
      'ok account: this account is user 1000',
      'NOTE disconnecting: the program ss is not on PATH (install iproute2); this account does not have CAP_NET_ADMIN: ' +
        'disconnecting a client restarts the core, and addresses over an IP limit keep their open connections',
    ]);
    expect(lines(null)).toEqual(lines(77));
  });

  it('is too much for root', () => {
    const { add, lines } = machine();
    add(77, ['node', 'dist/main.js', 'serve'], 0, BOTH);
    expect(lines(77)[0]).toBe('NOTE account: the panel (pid 77) is root; a dedicated account is enough');
  });

  it('is unknown when the system does not report it', () => {
    expect(machine().lines(null)).toEqual(['NOTE account: no information is available about this account']);
  });
});

describe('the clock', () => {
  it('must not be behind the log', () => {
    expect(inEnglish(examineClock(T0, T0))).toEqual({
      ...{ what: 'clock', whatCode: 'cli.checkClock', ok: true },
      ...{ detail: 'it is 2023-11-14 22:13:20Z', detailCode: 'cli.clockGood' },
    });
    expect(inEnglish(examineClock(T0 + HOUR, T0))).toEqual({
      what: 'clock',
      whatCode: 'cli.checkClock',
      ok: false,
      note: true,
      detail: "this machine's time is 2023-11-14 22:13:20Z, but the last event was written at 2023-11-14 23:13:20Z",
      detailCode: 'cli.clockBehind',
    });
  });
});
