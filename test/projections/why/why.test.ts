import { describe, expect, it } from 'vitest';
import type { PanelEvent } from '../../../src/events/catalog.js';
import {
  ClientDeleted,
  ClientDepleted,
  ClientExpiryStarted,
  ClientReactivated,
  ClientRenewed,
  ClientTrafficReset,
  ClientUpdated,
} from '../../../src/events/client/client.js';
import {
  CoreFailed,
  CoreRestartRequested,
  CoreStarted,
  CoreStopped,
  CoreStopRequested,
  InboundAcceptedByCore,
  InboundRejectedByCore,
} from '../../../src/events/core.js';
import { NodeId } from '../../../src/events/ids.js';
import {
  InboundDepleted,
  InboundDisabled,
  InboundEnabled,
  InboundReactivated,
  InboundUpdated,
} from '../../../src/events/inbound/inbound.js';
import { ClientIpsBlocked } from '../../../src/events/ip-limit.js';
import type { Actor } from '../../../src/events/log/event.js';
import {
  NodeAdded,
  NodeDeleted,
  NodeDisabled,
  NodeEnabled,
  NodeWentOffline,
  NodeWentOnline,
} from '../../../src/events/node/node.js';
import { NodeInboundAdopted, NodeInboundApplied, NodeInboundRejected } from '../../../src/events/node/node-sync.js';
import { SettingsChanged } from '../../../src/events/settings/settings.js';
import { verbatim } from '../../../src/messages/message.js';
import { render } from '../../../src/messages/render.js';
import { rendered } from '../../../src/messages/rendered.js';
import { LogReadModels, type ReadModels } from '../../../src/projections/read-models.js';
import { explain } from '../../../src/projections/why/explain.js';
import {
  admin,
  clientAdded,
  DAY,
  draft,
  first,
  HOUR,
  inboundAdded,
  one,
  second,
  system,
  T0,
  traffic,
  two,
} from '../../kit/builders.js';
import { context, TestLog } from '../../kit/log.js';

const node = NodeId.parse(1);
const spec = {
  name: 'Oslo',
  remark: '',
  scheme: 'https',
  host: 'oslo.example.com',
  port: 2053,
  basePath: '/',
} as const;
const nodeAdded = NodeAdded({
  ...{ node, enabled: true, keyVersion: 1, secret: { token: 't' } },
  spec: { ...spec, allowPrivateAddress: false },
});
const started = CoreStarted({ run: 'r1', version: '1', reason: 'start' });
const cap = { reason: 'cap', usedBytes: 1200, capBytes: 1000 } as const;
const capped = ClientDepleted({ client: first, depletion: cap });
const later = ClientUpdated({ client: first, changes: { limitIp: 3 } });
const off = ClientUpdated({ client: first, changes: { enabled: false } });
const on = ClientUpdated({ client: first, changes: { enabled: true } });

/** Each event happens an hour after the previous one; the mark is the event that causes the explained state. */
type Marked = PanelEvent | readonly ['since', PanelEvent, by?: Actor];
const since = (event: PanelEvent, by?: Actor): Marked => (by ? ['since', event, by] : ['since', event]);
const isMarked = (event: Marked): event is readonly ['since', PanelEvent, Actor?] => Array.isArray(event);

/** Why each client of the email is in its state, in English. */
function explained(read: ReadModels, { log, clock }: TestLog) {
  return rendered(explain(read, log, 'alice', clock.now()), (text) => render(text, 'en'));
}

function played(events: readonly Marked[]) {
  const journal = new TestLog();
  const read = new LogReadModels(journal.log);
  let marked: object | null = null;
  for (const event of events) {
    const [, fact, by = admin] = isMarked(event) ? event : ['', event, admin];
    // The events of one actor share a correlation id.
    const [recorded] = journal.log.append(
      [fact],
      context({ at: journal.clock.now(), actor: by, correlationId: by.id }),
    );
    const name = by.kind === 'system' ? 'the panel (test)' : 'user root from 203.0.113.7';
    if (isMarked(event)) marked = { at: recorded?.meta.at, position: recorded?.position, by: name };
    journal.clock.advance(HOUR);
  }
  return { journal, read, marked, whys: explained(read, journal) };
}

const here = [inboundAdded(), clientAdded(), started];
const there = [nodeAdded, inboundAdded({ node, spec: { tag: 'far' } })];
const applied = (position: number): PanelEvent =>
  NodeInboundApplied({ node, inbound: one, tag: 'far', position, digest: 'd', newClients: [], newInbound: true });
const adopted = NodeInboundAdopted({ node, inbound: one, tag: 'far' });
const utc = SettingsChanged({ changes: { timeLocation: 'UTC' } });
const stopped = CoreStopped({ run: 'r1', reason: 'request' });
const limited = ClientIpsBlocked({
  ...{ client: first, limit: 1, keep: 'newest', graceSeconds: 30 },
  ips: { allowed: ['198.51.100.1'], blocked: ['198.51.100.2'] },
});
const restarted = CoreStarted({ run: 'r2', version: '1', reason: 'recovery' });

describe('a term that starts with the first use', () => {
  it('is in the history with its length', () => {
    const term = (expiresAt: number) => draft('alice', 1, { spec: { expiresAt } });
    const longer = ClientUpdated({ client: first, changes: { expiresAt: -30 * DAY } });
    const { whys } = played([inboundAdded(), clientAdded(term(-60_000)), longer]);
    expect(whys[0]?.story.map(({ what }) => what)).toStrictEqual([
      'was added to inbound 1 as alice: no cap; expires 1 minute after first use; enabled',
      'was updated: expires 30 days after first use',
    ]);
  });
});

describe('the access status', () => {
  it.each<
    readonly [
      status: string,
      may: boolean,
      rule: string | RegExp,
      remedies: readonly string[],
      events: readonly Marked[],
    ]
  >([
    // The client.
    ['active', true, 'no cap, no expiry', [], [inboundAdded(), since(clientAdded()), started, later]],
    ['disabled', false, 'the client is disabled', ['enable the client'], [...here, off, on, since(off), later]],
    ['active', true, /^no cap, no expiry/, [], [...here, off, since(on), later]],
    [
      ...(['cap reached', false, 'it used 1,200 bytes of 1,000 bytes'] as const),
      ['reset its traffic', 'raise or remove its cap'],
      [...here, traffic({ clients: [[first, 200, 1000]] }), since(capped, system), later],
    ],
    [
      ...(['cap reached', false, 'it used 1,200 bytes of 1,000 bytes (now 1,300 bytes)'] as const),
      ['reset its traffic', 'raise or remove its cap'],
      [...here, since(capped, system), traffic({ clients: [[first, 300, 1000]] })],
    ],
    [
      ...(['active', true, 'no cap, no expiry', []] as const),
      [
        ...here,
        capped,
        ClientTrafficReset({ client: first, up: 1, down: 2 }),
        since(ClientReactivated({ client: first })),
      ],
    ],
    [
      ...(['expired', false, 'it expired at 2023-11-15 22:13:20Z'] as const),
      ['move its expiry into the future, or remove it'],
      [...here, since(ClientDepleted({ client: first, depletion: { reason: 'expiry', expiresAt: T0 + DAY } }), system)],
    ],
    [
      ...([
        'expired',
        false,
        'it expired at 2023-11-15 22:13:20Z; its term started with the first use at 2023-11-15 01:13:20Z',
      ] as const),
      ['move its expiry into the future, or remove it'],
      [
        ...here,
        ClientExpiryStarted({ client: first, expiresAt: T0 + DAY }),
        since(ClientDepleted({ client: first, depletion: { reason: 'expiry', expiresAt: T0 + DAY } }), system),
      ],
    ],
    [
      ...(['not used yet', true, 'no cap, its term of 1 day starts with the first use', []] as const),
      [inboundAdded(), since(clientAdded(draft('alice', 1, { spec: { expiresAt: -DAY } }))), started],
    ],
    [
      'active',
      true,
      '970 bytes left of 1,000 bytes, until 2023-12-15 22:13:20Z, when it renews for 30 days',
      [],
      [
        inboundAdded(),
        since(clientAdded(draft('alice', 1, { spec: { capBytes: 1000, expiresAt: T0, renewalDays: 30 } }))),
        started,
        ClientRenewed({ client: first, previousExpiresAt: T0, expiresAt: T0 + 31 * DAY }),
        traffic({ clients: [[first, 10, 20]] }),
      ],
    ],
    [
      ...(['cap reached', false, 'it used 1,200 bytes of 1,000 bytes'] as const),
      ['reset its traffic', 'raise or remove its cap', 'wait: it renews at 2023-12-14 22:13:20Z'],
      [
        inboundAdded(),
        clientAdded(draft('alice', 1, { spec: { expiresAt: T0 + 30 * DAY, renewalDays: 30 } })),
        started,
        since(capped, system),
      ],
    ],
    [
      ...(['cap reached', false, 'it used 1,200 bytes of 1,000 bytes'] as const),
      ['reset its traffic', 'raise or remove its cap', 'wait: its traffic is reset at 2023-12-01 00:00:00Z'],
      [utc, inboundAdded({ spec: { trafficReset: 'monthly' } }), clientAdded(), started, since(capped, system)],
    ],
    [
      ...(['inbound cap reached', false, 'inbound in-1: it used 1,200 bytes of 1,000 bytes'] as const),
      [
        ...['reset the traffic of the inbound', 'raise or remove the cap of the inbound'],
        'wait: the traffic of the inbound is reset at 2023-11-15 20:30:00Z',
      ],
      [
        SettingsChanged({ changes: { timeLocation: 'Asia/Tehran' } }),
        inboundAdded({ spec: { trafficReset: 'daily' } }),
        clientAdded(),
        started,
        since(InboundDepleted({ inbound: one, depletion: cap }), system),
      ],
    ],
    // Its inbound.
    [
      ...(['inbound disabled', false, 'inbound in-1 is disabled', ['enable the inbound']] as const),
      [...here, since(InboundDisabled({ inbound: one }))],
    ],
    [
      'active',
      true,
      /^no cap, no expiry/,
      [],
      [...here, InboundDisabled({ inbound: one }), since(InboundEnabled({ inbound: one }))],
    ],
    [
      ...(['inbound cap reached', false, 'inbound in-1: it used 1,200 bytes of 1,000 bytes'] as const),
      ['reset the traffic of the inbound', 'raise or remove the cap of the inbound'],
      [
        ...here,
        since(InboundDepleted({ inbound: one, depletion: cap }), system),
        InboundUpdated({ inbound: one, changes: { remark: 'x' } }),
      ],
    ],
    [
      ...(['inbound expired', false, 'inbound in-1: it expired at 2023-11-14 22:13:20Z'] as const),
      ['move the expiry of the inbound into the future, or remove it'],
      [...here, since(InboundDepleted({ inbound: one, depletion: { reason: 'expiry', expiresAt: T0 } }), system)],
    ],
    [
      ...(['active', true, /^no cap, no expiry/, []] as const),
      [...here, InboundDepleted({ inbound: one, depletion: cap }), since(InboundReactivated({ inbound: one }))],
    ],
    // The core of this panel.
    [
      ...(['inbound rejected by the core', false, 'the core rejects inbound in-1: no such file'] as const),
      ['correct the settings of the inbound'],
      [
        ...here,
        since(InboundRejectedByCore({ inbound: one, reason: verbatim('no such file') }), system),
        InboundRejectedByCore({ inbound: two, reason: verbatim('another one') }),
      ],
    ],
    [
      ...(['active', true, /^no cap, no expiry/, []] as const),
      [
        inboundAdded(),
        since(clientAdded()),
        started,
        InboundRejectedByCore({ inbound: one, reason: verbatim('') }),
        InboundAcceptedByCore({ inbound: one }),
      ],
    ],
    [
      ...(['core not running', false, 'the core failed: it fell over', ['restart the core']] as const),
      [...here, since(CoreFailed({ run: 'r1', reason: verbatim('it fell over') }), system)],
    ],
    [
      ...(['core not running', false, 'the core is stopped', ['start the core']] as const),
      [...here, since(CoreStopRequested({})), CoreStopped({ run: 'r1', reason: 'request' })],
    ],
    [
      ...(['active', true, /^no cap, no expiry/, []] as const),
      [
        inboundAdded(),
        since(clientAdded()),
        started,
        CoreFailed({ run: 'r1', reason: verbatim('x') }),
        CoreRestartRequested({}),
        restarted,
      ],
    ],
    // Its node, whatever the core here does.
    ['active', true, /^no cap, no expiry/, [], [...there, since(clientAdded()), applied(3)]],
    [
      ...([
        'node outdated',
        false,
        'node Oslo has not received the latest changes (2 pending for this inbound): it does not have the client yet',
      ] as const),
      ['wait until the node has received the changes', 'check on the node why the changes are delayed'],
      [...there, since(clientAdded())],
    ],
    [
      ...([
        'node outdated',
        true,
        'node Oslo has not received the latest changes (1 pending for this inbound): it keeps running its last configuration',
      ] as const),
      ['wait until the node has received the changes', 'check on the node why the changes are delayed'],
      [...there, clientAdded(), applied(3), since(later)],
    ],
    [
      ...(['active', true, /^no cap, no expiry/, []] as const),
      [...there, since(clientAdded()), applied(3), clientAdded(draft('bob', 2), second)],
    ],
    [
      ...([
        'node unreachable',
        true,
        'node Oslo is unreachable (it is slow): it keeps running its last configuration',
      ] as const),
      ['check that the node runs and can be reached'],
      [...there, clientAdded(), applied(3), since(NodeWentOffline({ node, reason: verbatim('it is slow') }), system)],
    ],
    [
      ...(['active', true, /^no cap, no expiry/, []] as const),
      [
        ...there,
        since(clientAdded()),
        applied(3),
        NodeWentOffline({ node, reason: verbatim('x') }),
        NodeWentOnline({ node }),
      ],
    ],
    [
      ...([
        'node disabled',
        true,
        'node Oslo is disabled and receives no changes: it keeps running its last configuration',
      ] as const),
      ['enable the node'],
      [...there, clientAdded(), applied(3), since(NodeDisabled({ node }))],
    ],
    [
      'active',
      true,
      /^no cap, no expiry/,
      [],
      [...there, since(clientAdded()), applied(3), NodeDisabled({ node }), NodeEnabled({ node })],
    ],
    // An inbound that a previous panel managed continues before the node receives anything.
    [
      ...([
        'node unreachable',
        true,
        'node Oslo is unreachable (it is slow): it keeps running its last configuration',
      ] as const),
      ['check that the node runs and can be reached'],
      [
        ...there,
        adopted,
        clientAdded(),
        later,
        since(NodeWentOffline({ node, reason: verbatim('it is slow') }), system),
      ],
    ],
    [
      ...([
        'node disabled',
        true,
        'node Oslo is disabled and receives no changes: it keeps running its last configuration',
      ] as const),
      ['enable the node'],
      [...there, adopted, clientAdded(), since(NodeDisabled({ node }))],
    ],
    [
      ...([
        'node outdated',
        false,
        'node Oslo has not received the latest changes (2 pending for this inbound): it does not have the client yet',
      ] as const),
      ['wait until the node has received the changes', 'check on the node why the changes are delayed'],
      [...there, adopted, since(clientAdded(), system)],
    ],
    [
      ...(['inbound rejected by the node', false, 'node Oslo rejects inbound far: port taken'] as const),
      ['correct the settings of the inbound', 'correct on the node what it reports'],
      [
        ...there,
        clientAdded(),
        since(NodeInboundRejected({ node, inbound: one, reason: verbatim('port taken') }), system),
      ],
    ],
    [
      ...(['node deleted', false, 'inbound far is on node 1, which was deleted'] as const),
      ['add the client to an inbound on another machine'],
      [...there, clientAdded(), applied(3), since(NodeDeleted({ node }))],
    ],
  ])('is %s, may connect: %s, because %s', (status, may, rule, remedies, events) => {
    const { whys, marked } = played(events);
    const [why] = whys;
    expect(why).toMatchObject({ status, mayConnect: may, remedies, also: [] });
    expect(why?.since).toStrictEqual(marked);
    if (typeof rule === 'string') expect(why?.rule).toBe(rule);
    else expect(why?.rule).toMatch(rule);
  });

  const expired = { reason: 'expiry', expiresAt: T0 - DAY } as const;
  const sinceAdmin = (position: number, by = 'user root from 203.0.113.7') => ({
    ...{ at: T0 + (position - 1) * HOUR, position, by },
  });
  const both = { capBytes: 1000, expiresAt: T0 - DAY };
  const full = traffic({ clients: [[first, 200, 1000]], inbounds: [[one, 600, 600]] });
  const capRule = {
    ...{ status: 'cap reached', rule: 'it used 1,200 bytes of 1,000 bytes' },
    remedies: ['reset its traffic', 'raise or remove its cap'],
  };
  const expiryRule = {
    ...{ status: 'expired', rule: 'it expired at 2023-11-13 22:13:20Z' },
    remedies: ['move its expiry into the future, or remove it'],
  };

  it('lists all reasons by priority, each with its remedies', () => {
    const { whys } = played([...here, InboundDisabled({ inbound: one }), capped, off, CoreStopRequested({}), stopped]);
    expect(whys[0]).toMatchObject({
      ...{ status: 'disabled', mayConnect: false, remedies: ['enable the client'] },
      since: sinceAdmin(6),
      also: [
        { ...capRule, since: sinceAdmin(5) },
        { status: 'inbound disabled', since: sinceAdmin(4), remedies: ['enable the inbound'] },
        { status: 'core not running', since: sinceAdmin(7), remedies: ['start the core'] },
      ],
    });
  });

  it('denies access if at least one reason does', () => {
    const { whys } = played([...here, capped, limited]);
    expect(whys[0]).toMatchObject({ status: 'cap reached', mayConnect: false });
    expect(whys[0]?.also).toMatchObject([{ status: 'too many addresses', since: sinceAdmin(5) }]);
    expect(played([...here, limited]).whys[0]).toMatchObject({ status: 'too many addresses', mayConnect: true });
  });

  it('reports a cap and an expiry together: the recorded one first, the other with an unknown time', () => {
    const added = [inboundAdded(), clientAdded(draft('alice', 1, { spec: both })), started, full];
    const byCap = played([...added, ClientDepleted({ client: first, depletion: cap })]).whys[0];
    expect(byCap).toMatchObject({ ...capRule, since: sinceAdmin(5), also: [{ ...expiryRule, since: null }] });
    const byExpiry = played([...added, ClientDepleted({ client: first, depletion: expired })]).whys[0];
    expect(byExpiry).toMatchObject({ ...expiryRule, since: sinceAdmin(5), also: [{ ...capRule, since: null }] });
    // Nothing is reported before it is recorded, and an automatic renewal follows at the next poll.
    expect(played(added).whys[0]).toMatchObject({ status: 'active', also: [] });
    const renewing = clientAdded(draft('alice', 1, { spec: { ...both, renewalDays: 30 } }));
    expect(played([inboundAdded(), renewing, started, full, capped]).whys[0]?.also).toStrictEqual([]);
  });

  it('reports the same for an inbound', () => {
    const added = [inboundAdded({ spec: both }), clientAdded(), started, full];
    const statuses = (depletion: typeof cap | typeof expired) => {
      const why = played([...added, InboundDepleted({ inbound: one, depletion })]).whys[0];
      return [why, ...(why?.also ?? [])].map((one) => [one?.status, one?.rule, one?.remedies.length]);
    };
    const capped = ['inbound cap reached', 'inbound in-1: it used 1,200 bytes of 1,000 bytes', 2];
    const over = ['inbound expired', 'inbound in-1: it expired at 2023-11-13 22:13:20Z', 1];
    expect(statuses(cap)).toStrictEqual([capped, over]);
    expect(statuses(expired)).toStrictEqual([over, capped]);
  });

  it('reports the root cause of a node problem only', () => {
    const refused = NodeInboundRejected({ node, inbound: one, reason: verbatim('port taken') });
    const away = NodeWentOffline({ node, reason: verbatim('it is slow') });
    const told = (...events: PanelEvent[]) => {
      const why = played([...there, clientAdded(), ...events]).whys[0];
      return [why?.status, ...(why?.also ?? []).map(({ status }) => status)];
    };
    expect(told(refused, away)).toStrictEqual(['inbound rejected by the node', 'node unreachable']);
    expect(told(applied(3), away, NodeDisabled({ node }), later)).toStrictEqual(['node disabled']);
    expect(told(refused, away, NodeDeleted({ node }))).toStrictEqual(['node deleted']);
  });

  it('names the earliest of the next periods of all inbounds', () => {
    const daily = inboundAdded({ id: two, spec: { tag: 'in-2', port: 8443, trafficReset: 'daily' } });
    const { whys } = played([
      ...[utc, inboundAdded({ spec: { trafficReset: 'monthly' } }), daily, clientAdded(), started],
      ...[clientAdded(draft('alice', 2), second, two), capped],
    ]);
    expect(whys[0]?.remedies.at(-1)).toBe('wait: its traffic is reset at 2023-11-16 00:00:00Z');
  });

  it('has the history so far, and nothing about deleted clients', () => {
    const { whys, read, journal } = played([...here, capped, ClientReactivated({ client: first })]);
    expect(whys[0]?.story.map(({ type }) => type)).toStrictEqual([
      'ClientAdded',
      'ClientDepleted',
      'ClientReactivated',
    ]);
    journal.append(ClientDeleted({ client: first, inbound: one }));
    expect(explain(read, journal.log, 'alice', journal.clock.now())).toStrictEqual([]);
  });
});
