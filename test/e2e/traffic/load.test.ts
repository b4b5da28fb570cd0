import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientCore, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { type ClientSeed, inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { type Admin, must, type PanelProcess, startPanel, storeTemplate } from '../../kit/real/panel-process.js';
import { canFilter } from '../../kit/real/rights.js';
import { moved, startTransfer, type Transfer } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import {
  type Added,
  addInbound,
  clientBody,
  entryOf,
  headOf,
  keyOf,
  logOf,
  pause,
  template,
  until,
  wireOf,
} from '../support.js';

const SUITE = 'a panel under load';
const RATE = 60_000;
/** Inbounds that are added at once. */
const MANY = 200;
/** Longer than any call to the core may take by the clock. */
const STALL_MS = 16_000;

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let client: ClientCore;
  let added: Added;
  let seeds: readonly [ClientSeed, ClientSeed];
  let streams: Transfer[];

  const corePid = (): number =>
    (JSON.parse(readFileSync(join(panel.dataDir, 'run', 'core.json'), 'utf8')) as { pid: number }).pid;
  const coreEvents = (after: number): string[] =>
    logOf(panel.dataDir, after)
      .map(({ type }) => type)
      .filter((type) => ['CoreStarted', 'CoreStopped', 'CoreFailed', 'InboundRejectedByCore'].includes(type));
  /** The number of running inbounds. */
  const running = (inbounds: readonly Added[]): number => {
    const ports = listeningPorts();
    return inbounds.filter(({ port }) => ports.has(port)).length;
  };
  const context = () => makeContext({ ...targets, targetPort: targets.port });
  const another = () => addInbound(admin, inboundCase(context(), 'vless-tcp'), [makeClient()]);

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel();
    admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    seeds = [makeClient(), makeClient()];
    added = await addInbound(admin, inboundCase(context(), 'vless-tcp'), [...seeds]);
    client = await startClientCore(await Promise.all(seeds.map((seed) => entryOf(panel, added, seed))));
    await until('it runs', () => running([added]) === 1);
    streams = seeds.map((_, n) => startTransfer(client.socksPort(n), `${targets.url}/slow?rate=${RATE}`));
    await Promise.all(streams.map((transfer) => moved(transfer, 1)));
  });

  afterAll(async () => {
    for (const transfer of streams ?? []) transfer.stop();
    await Promise.all([client?.stop(), panel?.cleanUp(), targets?.stop()]);
  });

  it('keeps its core and loses no request when it is suspended', async () => {
    const [start, pid] = [headOf(panel.dataDir), corePid()];
    const asked = Array.from({ length: 10 }, another);
    await until('the first is decided', () => headOf(panel.dataDir) > start, 5);
    panel.kill('SIGSTOP');
    await pause(STALL_MS);
    panel.kill('SIGCONT');
    const inbounds = await Promise.all(asked);
    await until('all of them run', () => running(inbounds) === inbounds.length);
    expect(corePid()).toBe(pid);
    expect(coreEvents(start)).toEqual([]);
    expect(streams.map((transfer) => transfer.ended())).toEqual([false, false]);
  });

  it.skipIf(!canFilter)('disconnects a client before it has started all of many new inbounds', async () => {
    const [start, pid] = [headOf(panel.dataDir), corePid()];
    let answered = 0;
    const waiting = Array.from({ length: MANY }, (_, n) => n);
    const inbounds: Added[] = [];
    const adding = Array.from({ length: 20 }, async () => {
      while (waiting.pop() !== undefined) {
        inbounds.push(await another());
        answered += 1;
      }
    });
    await until('some are there', () => answered >= 40, 10);
    const body = clientBody(added.id, wireOf(added.one, seeds[0], { enable: false }));
    await must(admin.post(`/panel/api/inbounds/updateClient/${keyOf(added.one, seeds[0])}`, body));
    expect(answered).toBeLessThan(MANY);
    await until('the cut', () => streams[0]?.isCut(), 10);
    // The disconnection did not wait for the inbounds.
    expect(running(inbounds)).toBeLessThan(MANY);
    await Promise.all(adding);
    await until('all of them run', () => running(inbounds) === inbounds.length);
    expect([inbounds.length, corePid(), coreEvents(start)]).toEqual([MANY, pid, []]);
    expect(streams[1]?.ended()).toBe(false);
  });
});

/** TCP ports of this machine that accept connections. */
function listeningPorts(): ReadonlySet<number> {
  const LISTEN = '0A';
  const rows = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').trim().split('\n').slice(1));
  const columns = rows.map((row) => row.trim().split(/\s+/));
  const ports = columns.flatMap(([, local = '', , state]) => (state === LISTEN ? [local.split(':')[1] ?? ''] : []));
  return new Set(ports.map((port) => Number.parseInt(port, 16)));
}
