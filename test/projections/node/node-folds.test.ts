import { describe, expect, it } from 'vitest';
import { StateImported } from '../../../src/events/backup.js';
import type { PanelEvent } from '../../../src/events/catalog.js';
import {
  ClientDeleted,
  ClientIdentityChanged,
  ClientTrafficReset,
  ClientUpdated,
} from '../../../src/events/client/client.js';
import { NodeId } from '../../../src/events/ids.js';
import { InboundDeleted, InboundUpdated } from '../../../src/events/inbound/inbound.js';
import { NodeAdded, NodeDeleted, NodeIdentified, NodeUpdated } from '../../../src/events/node/node.js';
import {
  NodeInboundAdopted,
  NodeInboundApplied,
  NodeInboundRejected,
  NodeInboundRemoved,
  NodeTrafficRecorded,
  NodeUnmanagedItemsFound,
} from '../../../src/events/node/node-sync.js';
import { verbatim } from '../../../src/messages/message.js';
import { nodeBaselines } from '../../../src/projections/node/node-baselines.js';
import { nodeOutbox, outboxOf } from '../../../src/projections/node/node-outbox.js';
import { clientAdded, first, identity, inboundAdded, one, otherInbound, T0 } from '../../kit/builders.js';
import { folded, recorded } from '../../kit/spec.js';

const node = NodeId.parse(1);
const place = { scheme: 'http' as const, host: '192.0.2.1', port: 2053, basePath: '/', allowPrivateAddress: false };
const added = NodeAdded({
  node,
  enabled: true,
  spec: { name: 'Oslo', remark: '', ...place },
  keyVersion: 1,
  secret: { token: 't' },
});
const applied = (position: number, over: object = {}) =>
  NodeInboundApplied({
    ...{ node, inbound: one, tag: 'in-1', position, digest: 'd', newClients: [first], newInbound: true },
    ...over,
  });

describe('the outbox of a node', () => {
  const outbox = (...events: readonly PanelEvent[]) => {
    const state = folded(nodeOutbox, added, inboundAdded({ node }), otherInbound(), clientAdded(), ...events);
    return outboxOf(state, node).map((entry) => ({ ...entry, waiting: state.waiting.get(entry.inbound) ?? [] }));
  };

  it('has the changes of its inbounds only', () => {
    const reset = ClientTrafficReset({ client: first, up: 1, down: 1 });
    expect(outbox(ClientUpdated({ client: first, changes: { limitIp: 3 } }), reset)).toStrictEqual([
      {
        ...{ inbound: one, node, tag: 'in-1', tags: [], adopted: false, applied: null, refused: null, deleted: false },
        waiting: [2, 4, 5, 6],
      },
    ]);
  });

  it('keeps the changes after the applied position', () => {
    const change = ClientUpdated({ client: first, changes: { limitIp: 3 } });
    expect(outbox(change, applied(4))).toMatchObject([
      { waiting: [5], tags: ['in-1'], applied: { position: 4, digest: 'd', at: T0 } },
    ]);
  });

  it('has every tag that an inbound had on the node, also after its removal', () => {
    const renamed = InboundUpdated({ inbound: one, changes: { tag: 'x' } });
    const gone = [ClientDeleted({ client: first, inbound: one }), InboundDeleted({ inbound: one })];
    const events = [applied(4), renamed, applied(6, { tag: 'x' }), ...gone];
    expect(outbox(...events)).toMatchObject([{ tags: ['in-1', 'x'], deleted: true, waiting: [8, 9] }]);
    const removed = NodeInboundRemoved({ node, inbound: one, tag: 'x' });
    expect(outbox(...events, removed)).toMatchObject([{ tags: ['in-1', 'x'], waiting: [], applied: null }]);
  });

  it('assumes that an adopted inbound is on the node under its tag', () => {
    const adopted = NodeInboundAdopted({ node, inbound: one, tag: 'there' });
    expect(outbox(adopted)).toMatchObject([{ tags: ['there'], adopted: true, applied: null, waiting: [2, 4] }]);
    expect(outbox(adopted, applied(5))).toMatchObject([{ tags: ['there', 'in-1'], adopted: false, waiting: [] }]);
    const removed = NodeInboundRemoved({ node, inbound: one, tag: 'there' });
    expect(outbox(adopted, removed)).toMatchObject([{ tags: ['there'], adopted: false }]);
  });

  it('has the uid of every client and inbound, also after its deletion', () => {
    const gone = [ClientDeleted({ client: first, inbound: one }), InboundDeleted({ inbound: one })];
    const { uids } = folded(nodeOutbox, added, inboundAdded({ node }), otherInbound(), clientAdded(), ...gone);
    expect([...uids.inbounds]).toStrictEqual([[one, '000000000002']]);
    expect([...uids.clients]).toStrictEqual([[first, '000000000004']]);
  });

  it('knows whether the log was restored from a backup', () => {
    const taken = (kind: 'portolan' | '3x-ui') =>
      folded(nodeOutbox, added, StateImported({ source: kind, sha256: '0'.repeat(64), origin: null, keptSettings: [] }))
        .fromBackup;
    expect([folded(nodeOutbox, added).fromBackup, taken('3x-ui'), taken('portolan')]).toStrictEqual([
      false,
      false,
      true,
    ]);
  });

  it('drops inbounds that were deleted before they were applied, and all of a deleted node', () => {
    expect(outbox(ClientDeleted({ client: first, inbound: one }), InboundDeleted({ inbound: one }))).toStrictEqual([]);
    expect(outbox(applied(4), NodeDeleted({ node }))).toStrictEqual([]);
  });

  it('has since when an inbound is refused, until it is applied', () => {
    const refused = (reason: string) => NodeInboundRejected({ node, inbound: one, reason: verbatim(reason) });
    expect(outbox(refused('no'))).toMatchObject([{ refused: { reason: verbatim('no'), since: T0 } }]);
    expect(outbox(refused('no'), applied(5))).toMatchObject([{ refused: null }]);
  });

  it('has the unmanaged items as they were last seen', () => {
    const seen = (inbounds: string[]) =>
      NodeUnmanagedItemsFound({ node, inboundTags: inbounds, clients: [], omitted: 0 });
    expect(folded(nodeOutbox, added, seen(['a']), seen(['b'])).unmanaged.get(node)?.inboundTags).toStrictEqual(['b']);
    expect(folded(nodeOutbox, added, seen(['a']), seen([])).unmanaged.size).toBe(0);
  });
});

describe('the baselines of a node', () => {
  const counted = NodeTrafficRecorded({
    ...{ node, anomalies: [], inbounds: [[one, 5, 5, 50, 50, 100, [], 0]] },
    clients: [[first, 5, 5, 40, 40, 80, ['decreased'], 900, T0]],
  });
  const baseline = (...events: readonly PanelEvent[]) => {
    const state = folded(nodeBaselines, added, inboundAdded({ node }), clientAdded(), ...events);
    return [state.clients.get(first)?.up, state.inbounds.get(one)?.up];
  };
  const portolan = (panelId: string) => NodeIdentified({ node, kind: 'portolan', panelId });
  const moved = NodeUpdated({ node, changes: { host: '192.0.2.2' } });

  it('start at zero for new counters, and are then the last values', () => {
    expect(baseline()).toStrictEqual([undefined, undefined]);
    expect(baseline(applied(3))).toStrictEqual([0, 0]);
    expect(baseline(applied(3), counted)).toStrictEqual([40, 50]);
  });

  it('exist for a deleted client until the node has removed it', () => {
    const deleted = ClientDeleted({ client: first, inbound: one });
    const position = recorded([added, inboundAdded({ node }), clientAdded(), applied(3), counted, deleted]).length;
    expect(baseline(applied(3), counted, deleted)).toStrictEqual([40, 50]);
    const seen = (upTo: number) => NodeInboundApplied({ ...applied(upTo).data, newClients: [], newInbound: false });
    expect(baseline(applied(3), counted, deleted, seen(position - 1))).toStrictEqual([40, 50]);
    expect(baseline(applied(3), counted, deleted, seen(position))).toStrictEqual([undefined, 50]);
    const removed = NodeInboundRemoved({ node, inbound: one, tag: 'in-1' });
    expect(baseline(counted, deleted, InboundDeleted({ inbound: one }), removed)).toStrictEqual([undefined, undefined]);
    expect(baseline(counted, deleted, NodeDeleted({ node }))).toStrictEqual([undefined, undefined]);
  });

  it('keep the value before a decrease, and the time of the last reading', () => {
    const fold = (...events: readonly PanelEvent[]) =>
      folded(nodeBaselines, added, inboundAdded({ node }), clientAdded(), ...events);
    const state = fold(applied(3), counted);
    expect(state.clients.get(first)).toStrictEqual({
      node,
      up: 40,
      down: 40,
      allTime: 80,
      marks: ['decreased'],
      high: 900,
    });
    const renamed = ClientIdentityChanged({
      client: first,
      keyVersion: 2,
      emailChanged: true,
      identity: identity('carol'),
    });
    expect(fold(applied(3), renamed).clients.get(first)?.marks).toStrictEqual([
      'never-grown',
      'all-time-never-grown',
      'renamed',
    ]);
    expect(fold(applied(3), counted, renamed).clients.get(first)?.marks).toStrictEqual(['decreased', 'renamed']);
    expect(state.readAt.get(node)).toBe(T0);
    expect(fold(applied(3)).readAt.get(node)).toBe(T0);
    expect(fold().readAt.get(node)).toBeUndefined();
    expect(fold(counted, NodeDeleted({ node })).readAt.size).toBe(0);
  });

  it('are dropped for another panel, and kept for the same panel at another address', () => {
    expect(baseline(portolan('a'), counted, moved, portolan('a'))).toStrictEqual([40, 50]);
    expect(baseline(portolan('a'), counted, moved, portolan('b'))).toStrictEqual([undefined, undefined]);
    // Where a panel has no name, an address is all that is known of it.
    const xui = NodeIdentified({ node, kind: '3x-ui', panelId: '' });
    expect(baseline(xui, counted, moved)).toStrictEqual([undefined, undefined]);
    expect(baseline(xui, counted, NodeUpdated({ node, changes: { name: 'Bergen' } }))).toStrictEqual([40, 50]);
  });
});
