import { type Arbitrary, array, constantFrom, nat, record } from 'fast-check';
import type { AnyCommand } from '../../src/commands/catalog.js';
import type { ClientDraft } from '../../src/commands/credentials.js';
import { planRollUp } from '../../src/commands/reactors/roll-up.js';
import { Rejection } from '../../src/commands/rejection.js';
import type { Client } from '../../src/events/client-document.js';
import { InboundId, UserId } from '../../src/events/ids.js';
import type { Inbound } from '../../src/events/inbound-document.js';
import { PROTOCOLS } from '../../src/events/inbound.js';
import type { EventLog } from '../../src/events/log.js';
import type { RecordedEvent } from '../../src/events/catalog.js';
import { admin, DAY, draft, HOUR, inboundDraft } from './builders.js';
import type { TestBus } from './log.js';

const KINDS = [
  'inbound', 'inbound', 'inboundEdit', 'inboundGone', 'inboundSwitch',
  'client', 'client', 'client', 'client', 'clientTerms', 'clientName', 'clientKey', 'clientNameAndKey', 'clientGone', 'clientList',
  'traffic', 'traffic', 'traffic', 'traffic', 'traffic',
  'reset', 'resetAll', 'resetInbound', 'resetOutbound', 'adjust', 'depleted', 'expired',
  'ips', 'ips', 'clearIps', 'erase',
  'coreStarted', 'coreEnded', 'coreFailed', 'coreAsked', 'refused', 'accepted', 'template',
  'settings', 'user', 'credentials', 'login', 'login', 'logout', 'loginFailed', 'token',
  'wait', 'wait', 'waitLong', 'clockBack', 'rollUp', 'rollUp',
] as const;

/** One step of a history: what it is depends on what is there when it is taken. */
export interface Step {
  readonly kind: (typeof KINDS)[number];
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

export const steps = (maxLength: number): Arbitrary<Step[]> =>
  array(record({ kind: constantFrom(...KINDS), a: nat(1000), b: nat(1000), c: nat(1000) }), {
    minLength: 1,
    maxLength,
    size: 'max',
  });

const pick = <T>(from: Iterable<T>, n: number): T | undefined => {
  const all = [...from];
  return all[n % Math.max(1, all.length)];
};

/** Few names and keys, so that they meet. */
const someClient = (a: number, b: number, c: number): ClientDraft =>
  draft(['alice', 'Bob', 'carol', 'DAVE', 'eve', 'frank'][a % 6] ?? '', b % 12, {
    identity: { subId: `sub-${c % 3}`, comment: c % 4 === 0 ? `comment ${c}` : '' },
    terms: {
      enabled: c % 7 !== 0,
      capBytes: c % 3 === 0 ? 500 : 0,
      expiresAt: c % 5 === 0 ? -DAY : 0,
      resetDays: c % 11 === 0 ? 30 : 0,
    },
  });

/** Plays histories over a bus: rejected commands are part of them. */
export class History {
  readonly #bus: TestBus;
  readonly #log: EventLog;
  #run = 0;
  /** Clients that were renamed or deleted in this run: see `forgetNames`. */
  readonly #renamed = new Set<number>();

  constructor(bus: TestBus, log: EventLog) {
    this.#bus = bus;
    this.#log = log;
  }

  play(history: readonly Step[]): void {
    for (const step of history) {
      for (const command of this.#commands(step)) {
        if (command) this.dispatch(command);
      }
    }
  }

  dispatch(command: AnyCommand): readonly RecordedEvent[] {
    const done = this.#bus.dispatch(command, { actor: admin, correlationId: 'history' });
    if (done instanceof Rejection) return [];
    this.#forgetNames(done.events);
    return done.events;
  }

  /** Rolls up what is older than `ms`. */
  rollUp(ms: number): readonly RecordedEvent[] {
    const command = planRollUp(this.#log, this.#bus.state.rolledTo, this.#bus.clock.now() - ms);
    return command ? this.dispatch(command) : [];
  }

  /**
   * A known limit: how far the counter of a name was recorded cannot be told from a replay once the name itself was
   * destroyed (renamed or deleted in this run of the core, then shredded). A new run of the core begins at zero.
   */
  #forgetNames(events: readonly RecordedEvent[]): void {
    let lost = false;
    for (const event of events) {
      if (event.type === 'ClientIdentified' || event.type === 'ClientDeleted') this.#renamed.add(event.data.client);
      if (event.type === 'KeyShredded') lost ||= this.#renamed.has(Number(/^client:(\d+)\/\d/.exec(event.data.key)?.[1]));
      if (event.type === 'CoreStarted') this.#renamed.clear();
    }
    if (lost) for (const command of this.#newRun()) this.dispatch(command);
  }

  #newRun(): AnyCommand[] {
    this.#run += 1;
    return [{ type: 'RecordCoreStarted', data: { run: `r${this.#run}`, version: '26', reason: 'request' } }];
  }

  #commands({ kind, a, b, c }: Step): readonly (AnyCommand | undefined)[] {
    const { state, clock } = this.#bus;
    const inbound = pick(state.inbounds.values(), a);
    const client = pick(state.clients.values(), a);
    const now = clock.now();
    switch (kind) {
      case 'wait':
        clock.advance(1000 + a);
        return [];
      case 'waitLong':
        clock.advance((a % 30) * HOUR);
        return [];
      case 'clockBack':
        clock.advance(-a);
        return [];
      case 'rollUp':
        this.rollUp((a % 3) * HOUR);
        return [];
      case 'coreStarted':
        return this.#newRun();
      default:
        return [
          ...this.#inbounds(kind, inbound, a, b, c),
          ...this.#clients(kind, client, inbound, a, b, c),
          ...this.#traffic(kind, client, inbound, a, b, now),
          ...this.#others(kind, inbound, a, b, now),
        ];
    }
  }

  #inbounds(kind: Step['kind'], inbound: Inbound | undefined, a: number, b: number, c: number): (AnyCommand | undefined)[] {
    const protocol = c % 4 === 0 ? (PROTOCOLS[b % PROTOCOLS.length] ?? 'vless') : c % 2 === 0 ? 'trojan' : 'vless';
    const spec = { port: 1 + (b % 40), tag: `in-${b % 40}`, protocol, capBytes: c % 5 === 0 ? 2000 : 0, remark: `r${c}` };
    const asked = inboundDraft({ spec, config: { stream: c % 3 === 0 ? { network: 'ws' } : { network: 'tcp' } } });
    if (kind === 'inbound') return [{ type: 'AddInbound', data: { owner: UserId.parse(1), ...asked } }];
    if (!inbound) return [];
    const { id } = inbound;
    const clients = [...(this.#bus.state.clientsOf.get(id) ?? [])].flatMap((number) => this.#bus.state.clients.get(number) ?? []);
    if (kind === 'inboundEdit') return [{ type: 'UpdateInbound', data: { inbound: id, ...asked, clients } }];
    if (kind === 'clientList') {
      const list = [...clients.slice(0, b % 3), someClient(a + 1, b, c), someClient(a + 2, b + 1, c)];
      return [{ type: 'UpdateInbound', data: { inbound: id, spec: inbound, enabled: inbound.enabled, config: inbound.config, clients: list } }].map(
        ({ data, ...rest }) => ({ ...rest, data: { ...data, spec: specOf(inbound) } }) as AnyCommand,
      );
    }
    if (kind === 'inboundGone') return [{ type: 'DeleteInbound', data: { inbound: id } }];
    if (kind === 'inboundSwitch') return [{ type: 'SetInboundEnabled', data: { inbound: id, enabled: b % 2 === 0 } }];
    if (kind === 'refused') return [{ type: 'RecordInboundRefused', data: { inbound: id, reason: `reason ${b % 3}` } }];
    if (kind === 'accepted') return [{ type: 'RecordInboundAccepted', data: { inbound: id } }];
    return [];
  }

  #clients(kind: Step['kind'], client: Client | undefined, inbound: Inbound | undefined, a: number, b: number, c: number): AnyCommand[] {
    if (kind === 'client' && inbound) return [{ type: 'AddClients', data: { inbound: inbound.id, clients: [someClient(b, c, a)] } }];
    if (!client) return [];
    const { email } = client.identity;
    const other = someClient(b, c, a);
    const edit = (over: Partial<ClientDraft>): AnyCommand[] => [
      { type: 'UpdateClient', data: { inbound: client.inbound, client: { email }, draft: { ...client, ...over } } },
    ];
    switch (kind) {
      case 'clientTerms':
        return edit({ terms: other.terms });
      case 'clientName':
        return edit({ identity: other.identity });
      case 'clientKey':
        return edit({ credential: other.credential });
      case 'clientNameAndKey':
        return edit({ identity: other.identity, credential: other.credential });
      case 'clientGone':
        return [{ type: 'DeleteClient', data: { inbound: client.inbound, client: { email } } }];
      default:
        return [];
    }
  }

  #traffic(kind: Step['kind'], client: Client | undefined, inbound: Inbound | undefined, a: number, b: number, now: number): AnyCommand[] {
    const email = client?.identity.email ?? 'nobody';
    switch (kind) {
      case 'traffic': {
        const some = [...this.#bus.state.clients.values()].filter((_, i) => (i + a) % 2 === 0);
        const clients = some.map(({ identity }, i) => ({ name: identity.email, up: (b + i) % 90, down: a % 70 }));
        const inbounds = inbound ? [{ name: inbound.tag, up: b % 90, down: a % 70 }] : [];
        const outbounds = [{ name: b % 2 === 0 ? 'direct' : 'warp', up: b, down: a }];
        return [{ type: 'RecordTraffic', data: { run: `r${this.#run}`, clients, inbounds, outbounds } }];
      }
      case 'reset':
        return [{ type: 'ResetClientTraffic', data: { inbound: null, email } }];
      case 'resetAll':
        return [{ type: 'ResetAllClientTraffic', data: { inbound: 'all' } }];
      case 'resetInbound':
        return [{ type: 'ResetInboundTraffic', data: { inbound: InboundId.parse(inbound?.id ?? 99) } }];
      case 'resetOutbound':
        return [{ type: 'ResetOutboundTraffic', data: { tag: a % 2 === 0 ? 'direct' : 'all' } }];
      case 'adjust':
        return [{ type: 'AdjustClientTraffic', data: { email, up: a, down: b % 600 } }];
      case 'depleted':
        return [{ type: 'DeleteDepletedClients', data: { inbound: 'all' } }];
      case 'expired':
        return [{ type: 'DepleteExpired', data: {} }];
      case 'ips': {
        const ips = [a, b].map((n) => ({ ip: `198.51.100.${n % 5}`, at: now }));
        return [{ type: 'RecordClientIps', data: { seen: [{ email, ips }] } }];
      }
      case 'clearIps':
        return [{ type: 'ClearClientIps', data: { email } }];
      default:
        return [];
    }
  }

  #others(kind: Step['kind'], _inbound: Inbound | undefined, a: number, b: number, now: number): AnyCommand[] {
    const run = this.#bus.state.core.run;
    const user = UserId.parse(1 + (a % 2));
    const idHash = `session-${b % 5}`;
    switch (kind) {
      case 'erase':
        return [
          { type: 'ChangeSettings', data: { changes: { eraseDeletedAfterDays: a % 2 } } },
          { type: 'EraseDeleted', data: {} },
        ];
      case 'coreEnded':
        return run === null ? [] : [{ type: 'RecordCoreStopped', data: { run, reason: 'request' } }];
      case 'coreFailed':
        return [{ type: 'RecordCoreFailed', data: { run, reason: `reason ${a % 3}` } }];
      case 'coreAsked':
        return [{ type: a % 2 === 0 ? 'StopCore' : 'RestartCore', data: {} }];
      case 'template':
        return [{ type: 'ChangeCoreTemplate', data: { template: { log: { level: `l${a % 3}` } }, outboundTestUrl: 'https://x' } }];
      case 'settings':
        return [{ type: 'ChangeSettings', data: { changes: { subTitle: `t${a % 4}`, pollSeconds: 1 + (b % 60) } } }];
      case 'user':
        return [{ type: 'CreateUser', data: { username: `user-${a % 3}`, passwordHash: `hash-${b}` } }];
      case 'credentials':
        return [{ type: 'ChangeCredentials', data: { user, username: `user-${b % 3}`, passwordHash: `hash-${a}` } }];
      case 'login':
        return [{ type: 'RecordLogin', data: { user, session: { idHash, csrfToken: `csrf-${a}` }, expiresAt: now + (b % 5) * HOUR } }];
      case 'logout':
        return [{ type: 'RecordLogout', data: { user, session: { idHash } } }];
      case 'loginFailed':
        return [{ type: 'RecordLoginFailures', data: { attempt: { username: 'x', ip: '::1' }, reason: 'locked', count: 1 + a } }];
      case 'token':
        return [{ type: 'IssueApiToken', data: { token: `token-${a}`, replace: b % 2 === 0 } }];
      default:
        return [];
    }
  }
}

function specOf({ remark, listen, port, protocol, tag, capBytes, expiresAt, trafficReset, sniffing }: Inbound) {
  return { remark, listen, port, protocol, tag, capBytes, expiresAt, trafficReset, sniffing };
}
