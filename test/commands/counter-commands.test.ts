import { describe, expect, it } from 'vitest';
import { type CountedCommand, countingNodes } from '../../src/commands/counter-commands.js';
import { panelState } from '../../src/commands/state.js';
import { NodeId } from '../../src/events/ids.js';
import { NodeAdded, NodeDisabled } from '../../src/events/node/node.js';
import {
  bob,
  clientAdded,
  clientNumber,
  draft,
  inboundAdded,
  inboundId,
  one,
  otherInbound,
  two,
} from '../kit/builders.js';
import { folded } from '../kit/spec.js';

const [oslo, rome, bern] = [NodeId.parse(1), NodeId.parse(2), NodeId.parse(3)];
const node = (id: NodeId) =>
  NodeAdded({
    ...{ node: id, enabled: true, keyVersion: 1, secret: { token: 't' } },
    spec: {
      ...{ name: `n${id}`, remark: '', scheme: 'https', host: `n${id}.example.com`, port: 2053, basePath: '/' },
      allowPrivateAddress: false,
    },
  });
const anna = (n: number) => draft('anna', n, { identity: { subId: 'anna' } });
const at = (id: number, on: NodeId) =>
  inboundAdded({ id: inboundId(id), node: on, spec: { port: 8000 + id, tag: `in-${id}` } });
/** Anna is on Oslo and here, Bob on Rome; Bern is switched off. */
const state = folded(
  panelState,
  ...[node(oslo), node(rome), node(bern), NodeDisabled({ node: bern })],
  ...[inboundAdded({ node: oslo }), otherInbound(), at(3, rome), at(4, bern)],
  ...[
    clientAdded(anna(1)),
    clientAdded(anna(2), clientNumber(2), two),
    clientAdded(bob, clientNumber(3), inboundId(3)),
  ],
);

describe('nodes that are queried before counters change', () => {
  it.each<[CountedCommand, readonly number[]]>([
    [{ type: 'ResetClientTraffic', data: { inbound: two, email: 'anna' } }, [oslo]],
    [{ type: 'AdjustClientTraffic', data: { email: 'bob', up: 1, down: 1 } }, [rome]],
    [{ type: 'ResetClientTraffic', data: { inbound: null, email: 'nobody' } }, []],
    [{ type: 'ResetAllClientTraffic', data: { inbound: two } }, [oslo]],
    [{ type: 'ResetAllClientTraffic', data: { inbound: 'all' } }, [oslo, rome]],
    [{ type: 'ResetAllTraffic', data: {} }, [oslo, rome]],
    [{ type: 'ResetInboundTraffic', data: { inbound: one } }, [oslo]],
    [{ type: 'ResetInboundTraffic', data: { inbound: two } }, []],
    [{ type: 'ResetOutboundTraffic', data: { tag: null } }, []],
    [{ type: 'DeleteInbound', data: { inbound: one } }, []],
  ])('are those that count the traffic that %j affects', (command, nodes) => {
    expect(countingNodes(command, state)).toStrictEqual(nodes);
  });
});
