import { describe, it } from 'vitest';
import {
  ClientDeleted,
  ClientDepleted,
  ClientExpiryStarted,
  ClientIdentityChanged,
  ClientTrafficTransferred,
} from '../../../src/events/client/client.js';
import { NodeId } from '../../../src/events/ids.js';
import { InboundDepleted } from '../../../src/events/inbound/inbound.js';
import { NodeAdded, NodeDeleted, NodeDisabled, NodeTokenReplaced } from '../../../src/events/node/node.js';
import type { Node } from '../../../src/events/node/node-document.js';
import { evolveNodes } from '../../../src/events/node/node-document.js';
import {
  NodeInboundApplied,
  NodeInboundRejected,
  NodeInboundRemoved,
  NodeSyncFailed,
  NodeSyncRecovered,
  type NodeTraffic,
  NodeTrafficRecorded,
  NodeUnmanagedItemsFound,
} from '../../../src/events/node/node-sync.js';
import { verbatim } from '../../../src/messages/message.js';
import {
  alice,
  bob,
  caused,
  clientAdded,
  clientNumber,
  DAY,
  draft,
  first,
  identity,
  inboundAdded,
  one,
  otherInbound,
  second,
  T0,
  traffic,
  two,
} from '../../kit/builders.js';
import { given, recorded } from '../../kit/spec.js';

const node = NodeId.parse(1);
const place = { scheme: 'http' as const, host: '192.0.2.1', port: 2053, basePath: '/', allowPrivateAddress: false };
const added = NodeAdded({
  node,
  enabled: true,
  spec: { name: 'Oslo', remark: '', ...place },
  keyVersion: 1,
  secret: { token: 't' },
});
const queried = ((): Node => {
  const nodes = new Map<NodeId, Node>();
  for (const event of recorded([added])) evolveNodes(nodes, event);
  return nodes.get(node) as Node;
})();
const bound = inboundAdded({ node, spec: { capBytes: 1000 } });
const capped = draft('alice', 1, { spec: { capBytes: 500 } });

type Row = NodeTraffic['clients'][number];
const row = (client: number, down: number): Row => [client, 0, down, 0, down, down, [], 0, T0];
const said = (clients: Row[], inbounds: NodeTraffic['inbounds'] = []) =>
  ({ type: 'RecordNodeTraffic', data: { queried, clients, inbounds, anomalies: [] as never[] } }) as const;

describe('what a node counted', () => {
  it('is recorded, and the same decision disables clients that reach their cap', () => {
    given(added, bound, clientAdded(capped))
      .when(said([row(first, 600)], [[one, 0, 1000, 0, 1000, 1000, [], 0]]))
      .then(
        NodeTrafficRecorded({
          node,
          clients: [row(first, 600)],
          inbounds: [[one, 0, 1000, 0, 1000, 1000, [], 0]],
          anomalies: [],
        }),
        caused(0, ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes: 600, capBytes: 500 } })),
        caused(0, InboundDepleted({ inbound: one, depletion: { reason: 'cap', usedBytes: 1000, capBytes: 1000 } })),
      );
  });

  it('is added to the traffic of the other machines', () => {
    const shared = { identity: { subId: 'one' } };
    given(
      added,
      bound,
      otherInbound(),
      clientAdded(draft('alice', 1, { ...shared, spec: { capBytes: 500 } })),
      clientAdded(draft('alice', 2, shared), second, two),
      traffic({ clients: [[second, 300, 0]] }),
    )
      .when(said([row(first, 200)]))
      .then(
        NodeTrafficRecorded({ node, clients: [row(first, 200)], inbounds: [], anomalies: [] }),
        caused(0, ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes: 500, capBytes: 500 } })),
      );
  });

  it('starts an expiry that begins with the first use', () => {
    given(added, bound, clientAdded(draft('alice', 1, { spec: { expiresAt: -DAY } })))
      .when(said([row(first, 1)]))
      .then(
        NodeTrafficRecorded({ node, clients: [row(first, 1)], inbounds: [], anomalies: [] }),
        caused(0, ClientExpiryStarted({ client: first, expiresAt: T0 + DAY })),
      );
  });

  it('starts no expiry without traffic', () => {
    given(added, bound, clientAdded(draft('alice', 1, { spec: { expiresAt: -DAY } })))
      .when(said([[first, 0, 0, 7, 7, 14, [], 0, 0]]))
      .then(NodeTrafficRecorded({ node, clients: [[first, 0, 0, 7, 7, 14, [], 0, 0]], inbounds: [], anomalies: [] }));
  });

  it('is dropped for clients and inbounds of other machines and unknown ones', () => {
    given(added, bound, otherInbound(), clientAdded(bob, second, two))
      .when(said([row(second, 5), row(3, 5)], [[two, 1, 1, 1, 1, 2, [], 0]]))
      .thenNothing();
  });

  describe('for a client that was deleted', () => {
    const gone = ClientDeleted({ client: first, inbound: one });
    const counted = NodeTrafficRecorded({ node, clients: [row(first, 5)], inbounds: [], anomalies: [] });
    const anna = (n: number, capBytes = 0) => draft('anna', n, { identity: { subId: 'anna' }, spec: { capBytes } });
    const left = (heir: typeof first, bytes: number) =>
      ClientTrafficTransferred({ client: heir, fromClient: first, up: 0, down: bytes });

    it('is its own', () => {
      given(added, bound, otherInbound(), clientAdded(alice), clientAdded(bob, second, two), gone)
        .when(said([row(first, 5)]))
        .then(counted);
    });

    it('goes to the client that took over the usage, which may reach its cap', () => {
      given(
        added,
        bound,
        otherInbound(),
        clientAdded(anna(1)),
        clientAdded(anna(2, 8), second, two),
        left(second, 4),
        gone,
      )
        .when(said([row(first, 5)]))
        .then(
          counted,
          caused(0, left(second, 5)),
          caused(0, ClientDepleted({ client: second, depletion: { reason: 'cap', usedBytes: 9, capBytes: 8 } })),
        );
    });

    it('goes to the last client in a chain of transfers, and to none if all are deleted', () => {
      const three = clientNumber(3);
      const twice = [
        ...[clientAdded(anna(1)), clientAdded(anna(2), second, two), left(second, 4), gone],
        ...[
          clientAdded(anna(3), three, two),
          ClientTrafficTransferred({ client: three, fromClient: second, up: 0, down: 4 }),
        ],
        ClientDeleted({ client: second, inbound: two }),
      ];
      given(added, bound, otherInbound(), ...twice)
        .when(said([row(first, 5)]))
        .then(counted, caused(0, left(three, 5)));
      given(added, bound, otherInbound(), ...twice, ClientDeleted({ client: three, inbound: two }))
        .when(said([row(first, 5)]))
        .then(counted);
    });

    it('is its own if it had left the shared email before', () => {
      const renamed = ClientIdentityChanged({
        client: first,
        keyVersion: 2,
        emailChanged: true,
        identity: identity('carol'),
      });
      given(
        added,
        bound,
        otherInbound(),
        clientAdded(anna(1)),
        clientAdded(anna(2), second, two),
        left(second, 4),
        renamed,
        gone,
      )
        .when(said([row(first, 5)]))
        .then(counted);
    });
  });

  it.each([
    ['deleted', NodeDeleted({ node })],
    ['switched off', NodeDisabled({ node })],
    ['given another token', NodeTokenReplaced({ node, keyVersion: 2, secret: { token: 'u' } })],
  ])('is dropped once the node was %s', (_, event) => {
    given(added, bound, clientAdded(alice), event)
      .when(said([row(first, 5)]))
      .thenNothing();
  });
});

describe('what a node has', () => {
  it('is recorded with the position of the desired state, without clients that were deleted since', () => {
    const data = {
      queried,
      inbound: one,
      tag: 'in-1',
      position: 3,
      digest: 'd',
      newClients: [first, second],
      newInbound: true,
    };
    given(added, bound, clientAdded(alice))
      .when({ type: 'RecordNodeInboundApplied', data })
      .then(
        NodeInboundApplied({
          ...{ node, inbound: one, tag: 'in-1', position: 3, digest: 'd', newClients: [first], newInbound: true },
        }),
      );
  });

  it('is dropped for an inbound of another machine', () => {
    const data = { queried, inbound: one, tag: 'in-1', position: 3, digest: 'd', newClients: [], newInbound: true };
    given(added, inboundAdded()).when({ type: 'RecordNodeInboundApplied', data }).thenNothing();
    given(added, inboundAdded())
      .when({ type: 'RecordNodeInboundRejected', data: { queried: queried, inbound: one, reason: verbatim('no') } })
      .thenNothing();
  });

  it('is recorded when it is refused, removed or unmanaged', () => {
    given(added, bound)
      .when({ type: 'RecordNodeInboundRejected', data: { queried: queried, inbound: one, reason: verbatim('no') } })
      .then(NodeInboundRejected({ node, inbound: one, reason: verbatim('no') }));
    // One that was deleted here may be refused its end.
    given(added)
      .when({ type: 'RecordNodeInboundRejected', data: { queried: queried, inbound: one, reason: verbatim('theirs') } })
      .then(NodeInboundRejected({ node, inbound: one, reason: verbatim('theirs') }));
    given(added)
      .when({ type: 'RecordNodeSyncFailed', data: { queried: queried, reason: verbatim('no list') } })
      .then(NodeSyncFailed({ node, reason: verbatim('no list') }));
    given(added)
      .when({ type: 'RecordNodeSyncRecovered', data: { queried: queried } })
      .then(NodeSyncRecovered({ node }));
    given(added)
      .when({ type: 'RecordNodeInboundRemoved', data: { queried: queried, inbound: one, tag: 'in-1' } })
      .then(NodeInboundRemoved({ node, inbound: one, tag: 'in-1' }));
    const unmanaged = { inboundTags: ['own'], clients: [{ inboundTag: 'in-1', email: 'mallory' }], omitted: 0 };
    given(added)
      .when({ type: 'RecordNodeUnmanagedItems', data: { queried: queried, ...unmanaged } })
      .then(NodeUnmanagedItemsFound({ node, ...unmanaged }));
  });
});
