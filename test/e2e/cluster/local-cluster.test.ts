import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Child, endOfOutput, startChild } from '../../kit/real/children.js';
import { coreBinary } from '../../kit/real/core-process.js';
import { natsBinary, withoutNats } from '../../kit/real/nats/server.js';
import { Admin, must, processesOf } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { until } from '../../kit/wait.js';
import { inbound } from './panels.js';

const HANG_MS = 600_000;

/** `npm run cluster` without its set-up, which `npm test` has made. */
function startCluster(nats = natsBinary()): Child {
  const program = `
    const { runCluster } = await import('./scripts/local-cluster.mjs');
    const { main } = await import('./scripts/setup.mjs');
    await main(() => runCluster(${JSON.stringify({ core: coreBinary() ?? null, nats: nats ?? null })}));`;
  const child = startChild(process.execPath, ['--input-type=module', '--eval', program]);
  // Its own processes are in process groups of their own, so it must end in an orderly way.
  onTestFinished(async () => void (await child.stop(60_000)));
  return child;
}

const folderIn = (output: string): string => /Everything is in (\S+)/.exec(output)?.[1] ?? '';
const urlOf = (output: string, member: string): string =>
  new RegExp(`^ +${member} +(\\S+)/ `, 'm').exec(output)?.[1] ?? '';

/** Starts a cluster, and waits until it has shown what to try. */
async function cluster() {
  const child = startCluster();
  // Four starts of a panel, and as many of the command line.
  const shown = vi.waitFor(() => expect(child.stdout()).toContain('Ctrl-C ends'), { timeout: HANG_MS, interval: 100 });
  await Promise.race([shown, child.exited]);
  if (!child.running()) throw new Error(endOfOutput(child));
  const output = child.stdout();
  const password = /Password +(\S+)/.exec(output)?.[1] ?? '';
  return {
    child,
    output,
    folder: folderIn(output),
    admin: (member: string) => new Admin(urlOf(output, member), { username: 'admin', password }),
  };
}

describe.skipIf(withoutNats('a cluster to try'))('a cluster to try on one machine', () => {
  it('answers at each member, survives its leader, and leaves nothing behind', { timeout: 2 * HANG_MS }, async () => {
    const { child, output, folder, admin } = await cluster();
    expect(output).toContain('Leader: one\n3 of 3 copies of the log are current');
    const [one, two, three] = [admin('one'), admin('two'), admin('three')];
    for (const member of [one, two, three]) await must(member.login());
    const { id } = await must(two.post<{ id: number }>('/panel/api/inbounds/add', inbound(await freePort(), 'first')));
    const remarks = async (): Promise<readonly string[]> =>
      (await must(three.get<{ remark: string }[]>('/panel/api/inbounds/list'))).map(({ remark }) => remark);
    await until('the third member shows it', async () => (await remarks()).includes('first'));

    const printed = /kill -9 \S*\$\(cat \S*one\.pid\)/.exec(output)?.[0] ?? '';
    const killed = spawnSync('sh', ['-c', printed], { env: { ...process.env, D: folder }, encoding: 'utf8' });
    expect(killed).toMatchObject({ status: 0, stderr: '' });
    await until('another member leads', async () => {
      const answer = await two.post(`/panel/api/inbounds/update/${id}`, inbound(await freePort(), 'second'));
      return answer.success;
    });
    await until('the third member shows it', async () => (await remarks()).includes('second'));
    await until('one is started again', () => child.stdout().includes('one ended (SIGKILL). It starts again'));

    child.kill('SIGINT');
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(processesOf(folder)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  it('names the reason of a failed start, and leaves nothing behind', async () => {
    const child = startCluster('/bin/false');
    expect(await child.exited).toEqual({ code: 1, signal: null });
    expect(child.stderr()).toMatch(/nats-\d did not start \(exit code 1\), see above\.$/m);
    const without = startCluster('');
    expect(await without.exited).toEqual({ code: 1, signal: null });
    expect(without.stderr()).toContain('There is no NATS server: install Go 1.26, or set PORTOLAN_NATS_BIN');
  });
});
