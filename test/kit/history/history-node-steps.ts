import type { AnyCommand } from '../../../src/commands/catalog.js';
import type { PanelState } from '../../../src/commands/state.js';
import { UserId } from '../../../src/events/ids.js';
import type { Node } from '../../../src/events/node/node-document.js';
import { CounterMark, type NodeTraffic } from '../../../src/events/node/node-sync.js';
import { verbatim } from '../../../src/messages/message.js';
import { inboundDraft } from '../builders.js';

interface Moment {
  readonly state: PanelState;
  readonly now: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}
/** Every combination of marks has a number. */
const marksFor = (n: number): CounterMark[] => CounterMark.options.filter((_, i) => (n & (1 << i)) > 0);

type Make = (moment: Moment) => readonly AnyCommand[];

const place = (a: number) => ({
  ...{ name: `node ${a % 3}`, remark: '', scheme: 'http' as const, host: `192.0.2.${a % 4}`, port: 2053 },
  ...{ basePath: '/', allowPrivateAddress: false },
});

/** A step of one of the existing nodes; without one it does nothing. */
const onNode =
  (make: (queried: Node, moment: Moment) => readonly AnyCommand[]): Make =>
  (moment) => {
    const nodes = [...moment.state.nodes.values()];
    const queried = nodes[moment.a % Math.max(1, nodes.length)];
    return queried ? make(queried, moment) : [];
  };

const boundTo = ({ state }: Moment, { id }: Node) => [...state.inbounds.values()].filter(({ node }) => node === id);

/** Changes and reports of nodes: the frequency of each step, and its commands. */
export const nodeStepKinds = {
  node: [1, ({ a }) => [{ type: 'AddNode', data: { enabled: true, spec: place(a), token: `token-${a}` } }]],
  nodeInbound: [
    2,
    onNode(({ id: node }, { b, c }) => {
      const spec = { port: 1 + (b % 40), tag: `far-${b % 40}`, protocol: 'vless' as const, capBytes: c % 5 ? 0 : 900 };
      return [{ type: 'AddInbound', data: { owner: UserId.parse(1), ...inboundDraft({ spec }), node } }];
    }),
  ],
  nodeIdentity: [
    1,
    onNode((queried, { b }) => [
      {
        type: 'RecordNodeIdentity',
        data: {
          queried: queried,
          identity: b % 3 ? { kind: 'portolan', panelId: `p${b % 2}` } : { kind: '3x-ui', panelId: '' },
        },
      },
    ]),
  ],
  nodeMoved: [
    1,
    onNode(({ id: node }, { b, c }) => [
      { type: 'UpdateNode', data: { node, changes: { host: `192.0.2.${b % 4}` }, token: c % 2 ? 'again' : '' } },
    ]),
  ],
  nodeGone: [1, onNode(({ id: node }, { b }) => (b % 3 ? [] : [{ type: 'DeleteNode', data: { node } }]))],
  nodeApplied: [
    2,
    onNode((queried, moment) =>
      boundTo(moment, queried).map(({ id: inbound, tag }) => ({
        type: 'RecordNodeInboundApplied',
        data: {
          ...{ queried, inbound, tag, digest: `d${moment.b}`, newInbound: moment.c % 3 === 0 },
          position: 1 + (moment.b % 300),
          newClients: [...(moment.state.clientsOf.get(inbound) ?? [])].filter((_, i) => (i + moment.c) % 2 === 0),
        },
      })),
    ),
  ],
  nodeRefused: [
    1,
    onNode((queried, moment) =>
      boundTo(moment, queried)
        .slice(0, 1)
        .map(({ id: inbound }) => ({
          type: 'RecordNodeInboundRejected',
          data: { queried, inbound, reason: verbatim(`reason ${moment.b % 3}`) },
        })),
    ),
  ],
  nodeStrangers: [
    1,
    onNode((queried, { b, c }) => {
      const clients = [{ inboundTag: 'far-1', email: `unmanaged-${b}` }].slice(c % 2);
      return [
        {
          type: 'RecordNodeUnmanagedItems',
          data: { queried: queried, inboundTags: [`own-${b}`].slice(b % 2), clients, omitted: 0 },
        },
      ];
    }),
  ],
  nodeTraffic: [
    4,
    onNode((queried, moment) => {
      const { now, b, c, state } = moment;
      const inbounds = boundTo(moment, queried);
      const clients = inbounds.flatMap(({ id }) => [...(state.clientsOf.get(id) ?? [])]);
      const some = clients.filter((_, i) => (i + c) % 2 === 0);
      const data = {
        queried,
        clients: some.map((client, i): NodeTraffic['clients'][number] => [
          ...([client, (b + i) % 80, c % 60, b, c, b + c] as const),
          marksFor(b),
          c % 9,
          Math.max(0, now - (c % 3) * 1000),
        ]),
        inbounds: inbounds.map(({ id }): NodeTraffic['inbounds'][number] => [
          ...([id, b % 80, c % 60, b, c, b + c] as const),
          marksFor(c % 8),
          b % 9,
        ]),
        anomalies: some
          .slice(0, b % 2)
          .map((client): ['client', number, 'decreased'] => ['client', client, 'decreased']),
      };
      return [{ type: 'RecordNodeTraffic', data }];
    }),
  ],
} satisfies Record<string, readonly [weight: number, make: Make]>;
