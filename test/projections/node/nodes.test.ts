import { describe, expect, it } from 'vitest';
import type { PanelEvent } from '../../../src/events/catalog.js';
import { NodeId } from '../../../src/events/ids.js';
import { loadedState, savedState } from '../../../src/events/log/fold.js';
import {
  NodeAdded,
  NodeDeleted,
  NodeDisabled,
  NodeIdentified,
  NodeTokenReplaced,
  NodeUpdated,
  NodeWentOffline,
  NodeWentOnline,
} from '../../../src/events/node/node.js';
import { NodeSyncFailed, NodeSyncRecovered } from '../../../src/events/node/node-sync.js';
import { MeasurementsRolledUp } from '../../../src/events/traffic/traffic.js';
import { message, verbatim } from '../../../src/messages/message.js';
import { nodes } from '../../../src/projections/node/nodes.js';
import { pushesOf } from '../../../src/projections/pushes.js';
import { T0 } from '../../kit/builders.js';
import { at, folded, recorded } from '../../kit/spec.js';

const node = NodeId.parse(1);
const spec = {
  ...{ name: 'Frankfurt', remark: '', scheme: 'https' as const, host: 'node.example.com' },
  ...{ port: 2053, basePath: '/', allowPrivateAddress: false },
};
const added = NodeAdded({ node, enabled: true, spec, keyVersion: 1, secret: { token: 'token-1' } });
const online = NodeWentOnline({ node });
const offline = NodeWentOffline({ node, reason: verbatim('gone') });
const failing = NodeSyncFailed({ node, reason: verbatim('no list') });

/** The state after some events, equal to the one after a snapshot. */
function known(...events: readonly PanelEvent[]) {
  const state = folded(nodes, added, ...events);
  expect(loadedState(nodes, structuredClone(savedState(nodes, state)))).toEqual(state);
  return {
    document: state.documents.get(node),
    connectivity: state.connectivity.get(node),
    failing: state.failings.get(node),
  };
}

describe('the nodes', () => {
  it('are folded from their events', () => {
    const changed = [
      NodeUpdated({ node, changes: { remark: 'x' } }),
      NodeIdentified({ node, kind: '3x-ui', panelId: '' }),
    ];
    const { document } = known(...changed);
    expect(document).toEqual({
      ...spec,
      ...{ id: 1, remark: 'x', enabled: true, token: 'token-1', keyVersion: 1, createdAt: T0, updatedAt: T0 },
      identity: { kind: '3x-ui', panelId: '' },
    });
    expect(known(NodeDeleted({ node })).document).toBeUndefined();
  });

  it('are online or offline since the last event', () => {
    expect(known().connectivity).toBeUndefined();
    expect(known(offline).connectivity).toEqual({ online: false, since: T0, reason: verbatim('gone') });
    expect(known(offline, at(T0 + 5, online)).connectivity).toEqual({ online: true, since: T0 + 5, reason: null });
  });

  it.each([
    ['sent elsewhere', NodeUpdated({ node, changes: { port: 1 } })],
    ['given another token', NodeTokenReplaced({ node, keyVersion: 2, secret: { token: 'x' } })],
    ['switched off', NodeDisabled({ node })],
    ['deleted', NodeDeleted({ node })],
  ])('have no known availability after they were %s', (_, event) => {
    expect(known(offline, event).connectivity).toBeUndefined();
    expect(known(offline, NodeUpdated({ node, changes: { name: 'Oslo' } })).connectivity).toBeDefined();
    expect(known(failing, event).failing).toBeUndefined();
    expect(known(failing, NodeUpdated({ node, changes: { name: 'Oslo' } })).failing).toBeDefined();
  });

  it('cannot be synchronized for the last reason until they recover', () => {
    expect(known(failing).failing).toStrictEqual({ reason: verbatim('no list'), since: T0 });
    const later = at(T0 + 5, NodeSyncFailed({ node, reason: verbatim('too long') }));
    expect(known(failing, later).failing).toStrictEqual({ reason: verbatim('too long'), since: T0 + 5 });
    expect(known(failing, NodeSyncRecovered({ node })).failing).toBeUndefined();
  });

  it('drop what is pruned from the log', () => {
    const rolled = (toTime: number) =>
      MeasurementsRolledUp({
        fromPosition: 1,
        toPosition: 2,
        firstAt: T0,
        lastAt: toTime,
        digest: '',
        prunedCount: 1,
        sums: [],
        nodeSums: [],
      });
    expect(known(offline, rolled(T0)).connectivity).toBeUndefined();
    expect(known(at(T0 + 1, offline), rolled(T0)).connectivity).toBeDefined();
    expect(known(failing, rolled(T0)).failing).toBeUndefined();
    expect(known(at(T0 + 1, failing), rolled(T0)).failing).toBeDefined();
  });
});

describe('what browsers receive about nodes', () => {
  const told = (event: PanelEvent) => {
    const [first] = recorded([event]);
    if (!first) throw new Error('no event');
    const actor = { kind: 'node', id: '1', name: 'Frankfurt', ip: null } as const;
    return pushesOf([{ ...first, meta: { ...first.meta, actor } }]);
  };
  const stale = { type: 'invalidate', resource: 'nodes' };

  it('is an invalidation, and notifications about availability', () => {
    expect(told(added)).toEqual([stale]);
    expect(told(NodeDeleted({ node }))).toEqual([stale]);
    const notification = {
      type: 'notification',
      title: message('notifications.nodeOnline'),
      body: verbatim('Frankfurt'),
      severity: 'success',
    };
    const reason = (why: string) =>
      message('notifications.subjectReason', { subject: 'Frankfurt', reason: verbatim(why) });
    expect(told(online)).toEqual([notification, stale]);
    expect(told(offline)).toEqual([
      { type: 'notification', title: message('notifications.nodeOffline'), body: reason('gone'), severity: 'error' },
      stale,
    ]);
    expect(told(failing)).toEqual([
      {
        type: 'notification',
        title: message('notifications.nodeSyncFailed'),
        body: reason('no list'),
        severity: 'error',
      },
      stale,
    ]);
    expect(told(NodeSyncRecovered({ node }))).toEqual([
      {
        type: 'notification',
        title: message('notifications.nodeSyncRecovered'),
        body: verbatim('Frankfurt'),
        severity: 'success',
      },
      stale,
    ]);
  });
});
