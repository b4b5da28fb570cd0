import { describe, expect, it, onTestFinished } from 'vitest';
import { remoteNodesOf } from '../../../../src/app/nodes.js';
import type { NodeHistories } from '../../../../src/commands/ports/node-histories.js';
import {
  NodeError,
  type NodeListing,
  type NodeReading,
  type RemotePanel,
} from '../../../../src/commands/ports/remote-panel.js';
import { ANOTHER, SELF } from '../../../../src/commands/reactors/nodes/health.js';
import type { RemoteNodes } from '../../../../src/commands/reactors/nodes/remote-nodes.js';
import { NodeId } from '../../../../src/events/ids.js';
import type { Node } from '../../../../src/events/node/node-document.js';
import { unlessAborted } from '../../../../src/lib/abort.js';
import { message, type Text, verbatim } from '../../../../src/messages/message.js';
import { holdTimers, Place } from '../kit.js';

const id = NodeId.parse(1);

const reading: NodeReading = {
  ...{ kind: 'portolan', panelId: 'panel-a', cpu: 10, mem: 20, coreVersion: '1.2.3', uptimeSecs: 30, latencyMs: 5 },
};
const away = new NodeError('unreachable', message('network.unreachable', { host: 'node.example.com' }));
const rejected = new NodeError('status', message('node.statusToken', { status: 401 }), { status: 401 });
type Script = NodeReading | Error | (() => Promise<NodeReading>);

const add = (n: number) =>
  ({
    type: 'AddNode',
    data: {
      enabled: true,
      token: `token-${n}`,
      spec: {
        ...{ name: `node ${n}`, remark: '', scheme: 'https', host: `n${n}.example.com`, port: 2053 },
        ...{ basePath: '/', allowPrivateAddress: false },
      },
    },
  }) as const;

/** A panel with nodes whose responses the test sets, and its health checks. */
async function start(count = 1, script: Script = reading) {
  holdTimers();
  const place = await new Place().open();
  onTestFinished(() => place.close(false).catch(() => undefined));
  for (let n = 1; n <= count; n += 1) place.must(add(n));
  const asked: string[] = [];
  const kept: unknown[] = [];
  const world: { script: Script; listing: NodeListing | Error } = { script, listing: { inbounds: [], unreadable: [] } };
  const histories: NodeHistories = {
    add: (node, values) => void kept.push([node, values]),
    history: () => [],
    forget: (node) => void kept.push(`forget ${node}`),
  };
  const unused = (): Promise<never> => Promise.reject(new Error('nothing is sent to this node'));
  const remote: RemotePanel = {
    probe: async ({ host, token, signal = new AbortController().signal }) => {
      asked.push(`${host} ${token}`);
      const { script } = world;
      if (script instanceof Error) throw script;
      if (typeof script !== 'function') return script;
      return unlessAborted(script(), signal, () => new NodeError('timeout', verbatim('it was aborted')));
    },
    listing: async () => {
      if (world.listing instanceof Error) throw world.listing;
      return world.listing;
    },
    onlines: async () => [],
    ...{ clientIps: unused, add: unused, update: unused, change: unused, restartCore: unused },
  };
  const make = (): RemoteNodes =>
    remoteNodesOf(place.panel, remote, { histories, warn: (message) => void place.warnings.push(message) });
  const watch = make();
  onTestFinished(() => watch.stop());
  /** Runs the probes that are due now. */
  const calm = (): Promise<void> => place.wait(1);
  const beat = async (next: Script = world.script): Promise<void> => {
    world.script = next;
    await place.wait(5500);
  };
  const recorded = () =>
    place.events('NodeIdentified', 'NodeWentOnline', 'NodeWentOffline').map(({ type, data }) => ({ type, data }));
  const node = (): Node => {
    const found = place.panel.read.nodes.get(id);
    if (!found) throw new Error('there is no node');
    return found;
  };
  return { place, watch, make, asked, kept, world, calm, beat, recorded, node };
}

const identified = { type: 'NodeIdentified', data: { node: 1, kind: 'portolan', panelId: 'panel-a' } };
const online = { type: 'NodeWentOnline', data: { node: 1 } };
const nonsense = verbatim('nonsense');
const offline = (reason: Text) => ({ type: 'NodeWentOffline', data: { node: 1, reason } });

/** The response of a node, which the test releases. */
function held() {
  let answer: (reading: NodeReading) => void = () => undefined;
  const script = (): Promise<NodeReading> => new Promise((resolve) => (answer = resolve));
  return { script, answer: (what: NodeReading) => answer(what) };
}

describe('the health checks', () => {
  it('probe at once and record the identity of the panel as its actor', async () => {
    const { place, watch, calm, recorded, kept } = await start();
    expect(watch.health(id)).toMatchObject({ status: 'unknown', lastHeartbeat: 0 });
    watch.begin();
    await calm();
    expect(recorded()).toEqual([identified]);
    expect(place.events('NodeIdentified')[0]?.meta.actor).toEqual({ kind: 'node', id: '1', name: 'node 1', ip: null });
    expect(watch.health(id)).toEqual({
      ...{ status: 'online', lastHeartbeat: Math.floor(place.clock.now() / 1000), lastError: null },
      ...{ cpu: 10, mem: 20, coreVersion: '1.2.3', uptimeSecs: 30, latencyMs: 5 },
    });
    expect(kept).toEqual([[1, { cpu: 10, mem: 20, latency: 5, lag: 0 }]]);
  });

  it('probe periodically and record nothing while nothing changes', async () => {
    const { watch, calm, beat, recorded, asked, kept } = await start();
    watch.begin();
    await calm();
    for (let n = 0; n < 4; n += 1) await beat();
    expect(asked.length).toBeGreaterThanOrEqual(5);
    expect(kept.length).toBe(asked.length);
    expect(recorded()).toEqual([identified]);
  });

  it('record once that a node is offline after three failed probes, and once that it is back', async () => {
    const { watch, calm, beat, recorded } = await start();
    watch.begin();
    await calm();
    await beat(away);
    await beat();
    expect(watch.health(id)).toMatchObject({ status: 'online', cpu: 10, lastError: away.text });
    await beat(reading);
    expect(watch.health(id)).toMatchObject({ status: 'online', lastError: null });
    for (let n = 0; n < 5; n += 1) await beat(away);
    expect(watch.health(id)).toMatchObject({
      status: 'offline',
      cpu: 0,
      coreVersion: '1.2.3',
      lastError: away.text,
    });
    expect(recorded()).toEqual([identified, offline(away.text)]);
    await beat(reading);
    await beat();
    expect(recorded()).toEqual([identified, offline(away.text), online]);
  });

  it('keep a flapping node offline and record that about once in ten minutes', async () => {
    const { watch, calm, beat, recorded, place } = await start();
    watch.begin();
    await calm();
    const count = (event: object) => recorded().filter(({ type }) => type === (event as typeof online).type).length;
    const end = place.clock.now() + 12 * 60_000;
    while (place.clock.now() < end) {
      await beat(rejected);
      await beat(reading);
    }
    expect(count(online)).toBeGreaterThanOrEqual(3);
    expect(count(online)).toBeLessThanOrEqual(5);
    expect(count(offline(verbatim('')))).toBeLessThanOrEqual(6);
  });

  it('need one failure if a retry cannot succeed, or if the node was never online', async () => {
    const { watch, calm, beat, recorded } = await start();
    watch.begin();
    await calm();
    await beat(rejected);
    expect(recorded()).toEqual([identified, offline(rejected.text)]);
    const fresh = await start(1, away);
    fresh.watch.begin();
    await fresh.calm();
    expect(fresh.recorded()).toEqual([offline(away.text)]);
  });

  it('accept no other panel at the address until the token is saved again', async () => {
    const { place, watch, calm, beat, recorded, kept } = await start();
    watch.begin();
    await calm();
    await beat({ ...reading, panelId: 'panel-b', cpu: 99 });
    expect(watch.health(id)).toMatchObject({ status: 'offline', cpu: 0, lastError: ANOTHER });
    expect(recorded()).toEqual([identified, offline(ANOTHER)]);
    expect(kept).toEqual([
      [1, { cpu: 10, mem: 20, latency: 5, lag: 0 }],
      [1, { lag: 0 }],
    ]);
    place.must({ type: 'UpdateNode', data: { node: id, changes: {}, token: 'token-1' } });
    await calm();
    expect(watch.health(id)).toMatchObject({ status: 'online', cpu: 99 });
    expect(recorded().at(-1)).toEqual({
      type: 'NodeIdentified',
      data: { node: 1, kind: 'portolan', panelId: 'panel-b' },
    });
  });

  it('tell a 3x-ui from a Portolan, and this panel from a node', async () => {
    const { watch, calm, beat } = await start(1, { ...reading, kind: '3x-ui', panelId: '' });
    watch.begin();
    await calm();
    expect(watch.health(id).status).toBe('online');
    await beat(reading);
    expect(watch.health(id).lastError).toStrictEqual(ANOTHER);
    const mirror = await start();
    mirror.world.script = { ...reading, panelId: mirror.place.panel.read.identity.panelId };
    mirror.watch.begin();
    await mirror.calm();
    expect(mirror.recorded()).toEqual([offline(SELF)]);
  });

  it.each([
    ['deleted', { type: 'DeleteNode', data: { node: id } }],
    ['switched off', { type: 'SetNodeEnabled', data: { node: id, enabled: false } }],
  ] as const)('ignores the answer of a node that was %s meanwhile', async (_, command) => {
    const { script, answer } = held();
    const { place, watch, calm, recorded, kept, asked } = await start(1, script);
    watch.begin();
    await calm();
    place.must(command);
    answer(reading);
    await calm();
    expect(asked).toEqual(['n1.example.com token-1']);
    expect(recorded()).toEqual([]);
    expect(watch.health(id).status).toBe('unknown');
    expect(kept).toEqual(command.type === 'DeleteNode' ? ['forget 1'] : []);
  });

  it('ignore the reply from a former address and probe the new one at once', async () => {
    const { script, answer } = held();
    const { place, watch, world, calm, recorded, asked } = await start(1, script);
    watch.begin();
    await calm();
    const changes = { host: 'new.example.com' };
    place.must({ type: 'UpdateNode', data: { node: id, changes, token: 'token-9' } });
    world.script = { ...reading, panelId: 'panel-b' };
    answer(reading);
    await calm();
    expect(asked).toEqual(['n1.example.com token-1', 'new.example.com token-9']);
    expect(recorded()).toEqual([{ type: 'NodeIdentified', data: { node: 1, kind: 'portolan', panelId: 'panel-b' } }]);
  });

  it('do not probe a disabled node until it is enabled', async () => {
    const { place, watch, calm, beat, asked } = await start();
    place.must({ type: 'SetNodeEnabled', data: { node: id, enabled: false } });
    watch.begin();
    await beat();
    expect(asked).toEqual([]);
    place.must({ type: 'SetNodeEnabled', data: { node: id, enabled: true } });
    await calm();
    expect(asked).toEqual(['n1.example.com token-1']);
  });

  it('probe 32 nodes at once, at most 24 of them nodes that missed their last probe', async () => {
    const { script } = held();
    const { watch, beat, world, asked } = await start(60, away);
    watch.begin();
    await beat();
    expect(new Set(asked).size).toBe(60);
    asked.length = 0;
    world.script = script;
    await beat();
    await beat();
    expect(asked.length).toBe(24);
    const fresh = await start(40, script);
    fresh.watch.begin();
    await fresh.calm();
    expect(fresh.asked.length).toBe(1);
    await fresh.beat();
    expect(fresh.asked.length).toBe(32);
  });

  it('do not probe a node twice at the same time', async () => {
    const { script } = held();
    const { watch, calm, beat, asked } = await start(1, script);
    watch.begin();
    await calm();
    await beat();
    await beat();
    expect(asked.length).toBe(1);
  });

  it('continue after a restart and record nothing twice', async () => {
    const { watch, make, world, calm, recorded } = await start(1, away);
    watch.begin();
    await calm();
    await watch.stop();
    const next = make();
    onTestFinished(() => next.stop());
    next.begin();
    await calm();
    expect(recorded()).toEqual([offline(away.text)]);
    world.script = reading;
    await next.stop();
    const third = make();
    onTestFinished(() => third.stop());
    third.begin();
    await calm();
    expect(recorded()).toEqual([offline(away.text), identified, online]);
  });

  it('drop replies after they were stopped', async () => {
    const { script, answer } = held();
    const { watch, calm, recorded } = await start(1, script);
    watch.begin();
    await calm();
    const stopped = watch.stop();
    answer(reading);
    await stopped;
    await calm();
    expect(recorded()).toEqual([]);
  });
});

describe('a requested probe', () => {
  it('runs at once, and its result counts', async () => {
    const { watch, world, recorded, node } = await start();
    expect(await watch.probe(node())).toMatchObject({ status: 'online', cpu: 10, error: null });
    world.script = away;
    expect(await watch.probe(node())).toMatchObject({ status: 'offline', cpu: 0, error: away.text });
    expect(watch.health(id).status).toBe('offline');
    expect(recorded()).toEqual([identified, offline(away.text)]);
  });

  it('of a disabled node records no event', async () => {
    const { place, watch, world, recorded, node } = await start();
    place.must({ type: 'SetNodeEnabled', data: { node: id, enabled: false } });
    await watch.probe(node());
    world.script = away;
    expect(await watch.probe(node())).toMatchObject({ status: 'offline' });
    expect(recorded()).toEqual([identified]);
  });

  it('of a panel that is not a node stores nothing', async () => {
    const { watch, world, recorded, kept, node } = await start();
    expect(await watch.test(node())).toMatchObject({ status: 'online', mem: 20 });
    world.script = new Error('broken');
    expect(await watch.test(node())).toMatchObject({ status: 'offline', error: message('node.probeFailed') });
    expect(recorded()).toEqual([]);
    expect(kept).toEqual([]);
    expect(watch.health(id).status).toBe('unknown');
  });
});

describe('a node with invalid replies', () => {
  it('is offline for that reason, whatever its status is, until they are valid again', async () => {
    const { watch, world, recorded, beat, node } = await start();
    watch.begin();
    await beat();
    expect(watch.health(id).status).toBe('online');
    world.listing = new NodeError('invalid-reply', nonsense);
    await beat();
    expect(watch.health(id).status).toBe('online');
    await beat();
    const gone = { status: 'offline', lastError: nonsense, cpu: 0 };
    expect(watch.health(id)).toMatchObject(gone);
    await beat();
    expect(watch.health(id)).toMatchObject(gone);
    expect(await watch.probe(node())).toMatchObject({ status: 'offline', error: nonsense });
    await beat(away);
    expect(watch.health(id)).toMatchObject({ status: 'offline', lastError: away.text });
    expect(recorded()).toStrictEqual([identified, offline(nonsense)]);
    world.listing = { inbounds: [], unreadable: [] };
    for (let n = 0; n < 4; n += 1) await beat(reading);
    expect(watch.health(id)).toMatchObject({ status: 'online', lastError: null });
    expect(recorded().at(-1)).toStrictEqual(online);
  });

  it('starts without that state after it was disabled and enabled', async () => {
    const { place, watch, world, beat } = await start();
    watch.begin();
    await beat();
    world.listing = new NodeError('invalid-reply', nonsense);
    await beat();
    await beat();
    expect(watch.health(id).status).toBe('offline');
    world.listing = { inbounds: [], unreadable: [] };
    place.must({ type: 'SetNodeEnabled', data: { node: id, enabled: false } });
    place.must({ type: 'SetNodeEnabled', data: { node: id, enabled: true } });
    await beat();
    expect(watch.health(id).status).toBe('online');
  });
});
