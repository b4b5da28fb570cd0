import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withoutCore } from '../../../kit/real/core-process.js';
import { until } from '../../../kit/wait.js';
import { addInbound, freePort, inboundOf, userOf } from '../kit.js';
import { coreStage } from '../stage.js';

const SUITE = 'a core whose panel is stalled';

/** Holds the event loop, as a long computation would, longer than any call may take; costs no processor. */
const stall = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const stage = coreStage();
  const vless = async (tag: string) =>
    inboundOf({
      tag,
      listen: '127.0.0.1',
      port: await freePort(),
      protocol: 'vless',
      settings: { decryption: 'none' },
    });
  const account = { email: 'alice@x', id: '00000000-0000-4000-8000-000000000001' };

  it('loses no call that was in progress while the event loop was stalled', async () => {
    const { core } = stage;
    const [one, two] = [await vless('one'), await vless('two')];
    await addInbound(core, one);
    const calls = [
      core.stats.counters(),
      core.inbounds.tags(),
      core.users.add(one, userOf(account)),
      addInbound(core, two),
    ];
    await nextTurn();
    stall(16_000);
    await Promise.all(calls);
    expect(new Set(await core.inbounds.tags())).toStrictEqual(new Set(['one', 'two']));
    expect([...(await core.users.list(one)).keys()]).toStrictEqual([userOf(account).client]);
    expect(await core.process.responds()).toBe(true);
  });

  it('is unresponsive when it answers none of several calls of an idle panel, or has exited', async () => {
    const { core } = stage;
    const pid = core.process.running?.pid ?? 0;
    const ended = new Promise((resolve) => core.process.exited$.subscribe(resolve));
    process.kill(pid, 'SIGSTOP');
    await until('all threads of the core have stopped', () => isStopped(pid));
    expect(await core.process.responds()).toBe(false);
    process.kill(pid, 'SIGCONT');
    expect(await core.process.responds()).toBe(true);
    process.kill(pid, 'SIGKILL');
    await ended;
    expect(await core.process.responds()).toBe(false);
  });
});

/** A signal stops each thread at its own time: until then the core may still answer. */
function isStopped(pid: number): boolean {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.every((thread) => / [Tt] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')));
}
