import type { AnyCommand } from '../../../src/commands/catalog.js';
import type { ClientDraft } from '../../../src/commands/client/credentials.js';
import type { PanelState } from '../../../src/commands/state.js';
import type { Client } from '../../../src/events/client/client-document.js';
import { UserId } from '../../../src/events/ids.js';
import { PROTOCOLS } from '../../../src/events/inbound/inbound.js';
import type { Inbound } from '../../../src/events/inbound/inbound-document.js';
import { verbatim } from '../../../src/messages/message.js';
import { DAY, draft, HOUR, inboundDraft, inboundId } from '../builders.js';
import { OTHER_TOKEN, stepAt, TOKEN } from '../totp.js';
import { nodeStepKinds } from './history-node-steps.js';

/** The state that a step starts from; `a`, `b` and `c` are random. */
export interface Moment {
  readonly state: PanelState;
  readonly now: number;
  /** The run of the core. */
  readonly run: string;
  readonly inbound: Inbound | undefined;
  readonly client: Client | undefined;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}
type Make = (moment: Moment) => readonly AnyCommand[];

/** Few names and keys, so that they collide. */
const someClient = (a: number, b: number, c: number): ClientDraft =>
  draft(['alice', 'Bob', 'carol', 'DAVE', 'eve', 'frank'][a % 6] ?? '', b % 12, {
    identity: { subId: `sub-${c % 2}`, comment: c % 4 === 0 ? `comment ${c}` : '' },
    spec: {
      enabled: c % 7 !== 0,
      capBytes: c % 3 === 0 ? 500 : 0,
      expiresAt: c % 5 === 0 ? -DAY : 0,
      renewalDays: c % 11 === 0 ? 30 : 0,
      limitIp: c % 3,
    },
  });

const someInbound = ({ b, c }: Moment) => {
  const protocol = c % 4 === 0 ? (PROTOCOLS[b % PROTOCOLS.length] ?? 'vless') : c % 2 === 0 ? 'trojan' : 'vless';
  const spec = { port: 1 + (b % 40), tag: `in-${b % 40}`, protocol, capBytes: c % 5 === 0 ? 2000 : 0, remark: `r${c}` };
  return inboundDraft({ spec, config: { stream: c % 3 === 0 ? { network: 'ws' } : { network: 'tcp' } } });
};

const clientsOf = ({ state }: Moment, { id }: Inbound): readonly Client[] =>
  [...(state.clientsOf.get(id) ?? [])].flatMap((number) => state.clients.get(number) ?? []);

/** A step that needs an inbound or a client; without one it does nothing. */
const onInbound =
  (make: (inbound: Inbound, moment: Moment) => AnyCommand): Make =>
  (moment) =>
    moment.inbound ? [make(moment.inbound, moment)] : [];
const onClient =
  (make: (client: Client, moment: Moment) => AnyCommand): Make =>
  (moment) =>
    moment.client ? [make(moment.client, moment)] : [];

const editOf = (over: (other: ClientDraft) => Partial<ClientDraft>): Make =>
  onClient((client, { a, b, c }) => ({
    type: 'UpdateClient',
    data: {
      inbound: client.inbound,
      client: { email: client.identity.email },
      draft: { ...client, ...over(someClient(b, c, a)) },
    },
  }));

const user = ({ a }: Moment): UserId => UserId.parse(1 + (a % 2));
const idHash = ({ b }: Moment): string => `session-${b % 5}`;

/** The current TOTP step, or a neighbouring one. */
const step = ({ now, c }: Moment): number => stepAt(now) - 1 + (c % 3);

/** Every kind of step: its frequency, and its commands. */
export const stepKinds = {
  ...nodeStepKinds,
  inbound: [2, (moment) => [{ type: 'AddInbound', data: { owner: UserId.parse(1), ...someInbound(moment) } }]],
  inboundEdit: [
    1,
    onInbound((inbound, moment) => ({
      type: 'UpdateInbound',
      data: { inbound: inbound.id, ...someInbound(moment), clients: clientsOf(moment, inbound) },
    })),
  ],
  clientList: [
    1,
    onInbound((inbound, moment) => {
      const { a, b, c } = moment;
      const { remark, listen, port, protocol, tag, capBytes, expiresAt, trafficReset, sniffing, ...rest } = inbound;
      const spec = { remark, listen, port, protocol, tag, capBytes, expiresAt, trafficReset, sniffing };
      const kept = clientsOf(moment, inbound).slice(0, b % 3);
      const clients = [...kept, someClient(a + 1, b, c), someClient(a + 2, b + 1, c)];
      const data = { inbound: inbound.id, spec, enabled: rest.enabled, config: rest.config, clients };
      return { type: 'UpdateInbound', data };
    }),
  ],
  inboundGone: [1, onInbound(({ id }) => ({ type: 'DeleteInbound', data: { inbound: id } }))],
  inboundSwitch: [
    1,
    onInbound(({ id }, { b }) => ({ type: 'SetInboundEnabled', data: { inbound: id, enabled: b % 2 === 0 } })),
  ],
  refused: [
    1,
    onInbound(({ id }, { b }) => ({
      type: 'RecordInboundRejected',
      data: { inbound: id, reason: verbatim(`reason ${b % 3}`) },
    })),
  ],
  accepted: [1, onInbound(({ id }) => ({ type: 'RecordInboundAccepted', data: { inbound: id } }))],
  client: [
    4,
    onInbound(({ id }, { a, b, c }) => ({
      type: 'AddClients',
      data: { inbound: id, clients: [someClient(b, c, a)] },
    })),
  ],
  manyClients: [
    1,
    onInbound(({ id }, { a, b, c }) => {
      const clients = Array.from({ length: 9 }, (_, i) => {
        const { identity, ...rest } = someClient(a + i, b + i, c + i);
        return { ...rest, identity: { ...identity, email: `many-${i}-${b % 3}`, subId: `many-${i}` } };
      });
      return { type: 'AddClients', data: { inbound: id, clients } };
    }),
  ],
  manyTerms: [
    1,
    ({ state, a, b }) => {
      const terms = [...state.clients.keys()].map((client) => ({ client, enabled: a % 3 !== 0, capBytes: b % 900 }));
      return [{ type: 'ChangeClientTerms', data: { terms } }];
    },
  ],
  manyGone: [
    1,
    ({ state, a }) => [
      { type: 'DeleteClients', data: { clients: [...state.clients.keys()].slice(a % 2 === 0 ? 3 : 12) } },
    ],
  ],
  clientTerms: [1, editOf(({ spec }) => ({ spec }))],
  clientName: [1, editOf(({ identity }) => ({ identity }))],
  clientKey: [1, editOf(({ credential }) => ({ credential }))],
  clientNameAndKey: [1, editOf(({ identity, credential }) => ({ identity, credential }))],
  clientGone: [
    1,
    onClient(({ inbound, identity: { email } }) => ({ type: 'DeleteClient', data: { inbound, client: { email } } })),
  ],
  clientMoved: [
    1,
    onClient(({ number, spec, identity, credential }, { inbound }) => ({
      type: 'MoveClients',
      data: {
        moves: [{ client: number, inbound: inbound?.id ?? inboundId(99), draft: { spec, identity, credential } }],
      },
    })),
  ],
  traffic: [
    5,
    ({ state, inbound, run, a, b }) => {
      // Deleted ones too: their last bytes are counted late.
      const numbers = Array.from({ length: state.lastClient }, (_, i) => i + 1).filter((n) => (n + a) % 2 === 0);
      const clients = numbers.map((number, i) => [number, (b + i) % 90, a % 70] as const);
      const inbounds = state.lastInbound > 0 ? [[1 + (b % state.lastInbound), b % 90, a % 70] as const] : [];
      const outbounds = [[b % 2 === 0 ? 'direct' : 'warp', b, a] as const];
      const passedOn = inbound && a % 5 === 0 ? [[inbound.tag, b * 100, a * 100] as const] : [];
      return [{ type: 'RecordTraffic', data: { run, clients, inbounds, outbounds, passedOn } }];
    },
  ],
  reset: [1, onClient(({ identity: { email } }) => ({ type: 'ResetClientTraffic', data: { inbound: null, email } }))],
  resetAll: [1, () => [{ type: 'ResetAllClientTraffic', data: { inbound: 'all' } }]],
  resetInbound: [
    1,
    ({ inbound }) => [{ type: 'ResetInboundTraffic', data: { inbound: inbound?.id ?? inboundId(99) } }],
  ],
  resetOutbound: [1, ({ a }) => [{ type: 'ResetOutboundTraffic', data: { tag: a % 2 === 0 ? 'direct' : null } }]],
  adjust: [
    1,
    onClient(({ identity: { email } }, { a, b }) => ({
      type: 'AdjustClientTraffic',
      data: { email, up: a, down: b % 600 },
    })),
  ],
  depleted: [1, () => [{ type: 'DeleteDepletedClients', data: { inbound: 'all' } }]],
  expired: [1, () => [{ type: 'DepleteExpired', data: {} }]],
  ips: [
    2,
    onClient(({ number: client }, { a, b, now }) => {
      const ips = [a, b].map((n) => ({ ip: `198.51.100.${n % 5}`, seenAt: now }));
      return { type: 'RecordClientIps', data: { seen: [{ client, ips }] } };
    }),
  ],
  addresses: [
    2,
    onClient(({ identity: { email } }, { a, b, now }) => {
      const addresses = [a, b, a + b].map((n, i) => {
        return {
          address: `198.51.100.${n % 7}`,
          since: now - 3_600_000 + i,
          seen: now - (b % 3) * 60_000,
          here: b % 3 < 2,
          silenceUnknown: a % 2 === 0,
        };
      });
      return { type: 'LimitAddresses', data: { at: now, people: [{ email, addresses }] } };
    }),
  ],
  addressesLeft: [
    1,
    ({ state, now }) => {
      const [held] = state.ipBlocks.keys();
      const email = held === undefined ? undefined : state.clients.get(held)?.identity.email;
      return email === undefined
        ? []
        : [{ type: 'LimitAddresses', data: { at: now, people: [{ email, addresses: [] }] } }];
    },
  ],
  clearIps: [1, onClient(({ identity: { email } }) => ({ type: 'ClearClientIps', data: { email } }))],
  erase: [
    1,
    ({ a }) => [
      { type: 'ChangeSettings', data: { changes: { eraseDeletedAfterDays: a % 2 } } },
      { type: 'EraseDeleted', data: {} },
    ],
  ],
  coreEnded: [1, ({ run }) => [{ type: 'RecordCoreStopped', data: { run, reason: 'request' } }]],
  coreFailed: [
    1,
    ({ state, a }) => [
      { type: 'RecordCoreFailed', data: { run: state.core.runs.get('') ?? null, reason: verbatim(`reason ${a % 3}`) } },
    ],
  ],
  coreAsked: [1, ({ a }) => [{ type: a % 2 === 0 ? 'StopCore' : 'RestartCore', data: {} }]],
  template: [
    1,
    ({ a }) => [
      { type: 'ChangeCoreTemplate', data: { template: { log: { level: `l${a % 3}` } }, outboundTestUrl: 'https://x' } },
    ],
  ],
  settings: [
    1,
    ({ a, b }) => [{ type: 'ChangeSettings', data: { changes: { subTitle: `t${a % 4}`, pollSeconds: 1 + (b % 60) } } }],
  ],
  user: [1, ({ a, b }) => [{ type: 'CreateUser', data: { username: `user-${a % 3}`, passwordHash: `hash-${b}` } }]],
  credentials: [
    1,
    (moment) => {
      const { a, b } = moment;
      const data = { user: user(moment), username: `user-${b % 3}`, passwordHash: `hash-${a}` };
      return [{ type: 'ChangeCredentials', data }];
    },
  ],
  login: [
    2,
    (moment) => {
      const { a, b, now } = moment;
      const session = { idHash: idHash(moment), csrfToken: `csrf-${a}`, device: 'Firefox' };
      const token = moment.state.secrets.get('twoFactorToken')?.value ?? '';
      const proof = { token, step: step(moment) };
      return [{ type: 'RecordLogin', data: { user: user(moment), session, expiresAt: now + (b % 5) * HOUR, proof } }];
    },
  ],
  twoFactor: [
    1,
    (moment) => {
      const { state, a, b } = moment;
      const token = a % 2 === 0 ? TOKEN : OTHER_TOKEN;
      const on = state.settings.twoFactorEnable;
      const proven = on ? (state.secrets.get('twoFactorToken')?.value ?? '') : token;
      const shown = { user: user(moment), codes: [{ token: proven, step: step(moment) }] };
      const changes = b % 3 === 0 ? { twoFactorEnable: !on, twoFactorToken: token } : { twoFactorToken: token };
      return [{ type: 'ChangeSettings', data: { changes, codes: shown } }];
    },
  ],
  twoFactorOff: [1, () => [{ type: 'SwitchOffTwoFactor', data: {} }]],
  renewed: [
    1,
    (moment) => {
      const session = { idHash: idHash(moment), csrfToken: `csrf-${moment.a}`, device: 'Firefox' };
      return [{ type: 'RenewSession', data: { user: user(moment), session, expiresAt: moment.now + HOUR } }];
    },
  ],
  logout: [
    1,
    (moment) => [{ type: 'RecordLogout', data: { user: user(moment), session: { idHash: idHash(moment) } } }],
  ],
  loginFailed: [
    1,
    ({ a }) => [
      {
        type: 'RecordLoginFailures',
        data: { attempt: { username: 'x', ip: '::1' }, reason: 'locked', count: 1 + a },
      },
    ],
  ],
  token: [1, ({ a, b }) => [{ type: 'IssueApiToken', data: { token: `token-${a}`, replace: b % 2 === 0 } }]],
} satisfies Record<string, readonly [weight: number, make: Make]>;
