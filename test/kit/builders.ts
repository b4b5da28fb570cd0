import type { ClientDraft } from '../../src/commands/client/credentials.js';
import type { InboundDraft } from '../../src/commands/inbound/inbound.js';
import type { PanelEvent } from '../../src/events/catalog.js';
import {
  ClientAdded,
  type ClientCredential,
  type ClientIdentity,
  type ClientSpec,
} from '../../src/events/client/client.js';
import { ClientNumber, InboundId, type NodeId, UserId } from '../../src/events/ids.js';
import { InboundAdded, type InboundConfig, type InboundSpec, type Protocol } from '../../src/events/inbound/inbound.js';
import type { Actor, Caused } from '../../src/events/log/event.js';
import { MeasurementsRolledUp, TrafficRecorded, type TrafficSum } from '../../src/events/traffic/traffic.js';

/** The time of every test: 2023-11-14T22:13:20Z. */
export const T0 = 1_700_000_000_000;
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export const inboundId = (id: number): InboundId => InboundId.parse(id);
export const clientNumber = (number: number): ClientNumber => ClientNumber.parse(number);
export const userId = (id: number): UserId => UserId.parse(id);
export const one = inboundId(1);
export const two = inboundId(2);
export const first = clientNumber(1);
export const second = clientNumber(2);

export const admin: Actor = { kind: 'user', id: '1', name: 'root', ip: '203.0.113.7' };
export const system: Actor = { kind: 'system', id: 'test', name: 'test', ip: null };

/** A UUID v4 that ends in a number. */
export const uuid = (n: number): string => `11111111-2222-4333-8444-${String(n).padStart(12, '0')}`;

export const clientSpec = (over: Partial<ClientSpec> = {}): ClientSpec => ({
  enabled: true,
  capBytes: 0,
  expiresAt: 0,
  limitIp: 0,
  flow: '',
  security: 'auto',
  method: '',
  renewalDays: 0,
  reverseTag: '',
  ...over,
});

export const identity = (email: string, over: Partial<ClientIdentity> = {}): ClientIdentity => ({
  email,
  subId: `sub-${email}`,
  comment: '',
  tgId: 0,
  extra: {},
  ...over,
});

export const credential = (over: Partial<ClientCredential> = {}): ClientCredential => ({
  id: '',
  password: '',
  auth: '',
  ...over,
});

interface DraftOver {
  readonly spec?: Partial<ClientSpec>;
  readonly identity?: Partial<ClientIdentity>;
  readonly credential?: Partial<ClientCredential>;
}

/** The client of a request; `n` determines its credentials. */
export const draft = (email: string, n: number, over: DraftOver = {}): ClientDraft => ({
  spec: clientSpec(over.spec),
  identity: identity(email, over.identity),
  credential: credential({ id: uuid(n), password: `password-${n}`, auth: `auth-${n}`, ...over.credential }),
});

export const alice = draft('alice', 1);
export const bob = draft('bob', 2);

export const spec = (over: Partial<InboundSpec> = {}): InboundSpec => ({
  remark: 'first',
  listen: '',
  port: 443,
  protocol: 'vless',
  tag: 'in-1',
  capBytes: 0,
  expiresAt: 0,
  trafficReset: 'never',
  sniffing: {},
  ...over,
});

export const config = (over: Partial<InboundConfig> = {}): InboundConfig => ({
  settings: { decryption: 'none' },
  stream: { network: 'tcp', security: 'none' },
  ...over,
});

interface InboundOver {
  readonly node?: NodeId;
  readonly id?: InboundId;
  readonly enabled?: boolean;
  readonly spec?: Partial<InboundSpec>;
  readonly config?: Partial<InboundConfig>;
}

export const inboundAdded = ({ id = one, enabled = true, ...over }: InboundOver = {}) =>
  InboundAdded({
    inbound: id,
    owner: userId(1),
    enabled,
    spec: spec(over.spec),
    keyVersion: 1,
    config: config(over.config),
    node: over.node ?? null,
  });

/** The second inbound of a test: port 8443, tag `in-2`. */
export const otherInbound = (protocol: Protocol = 'vless', over: Partial<InboundConfig> = {}) =>
  inboundAdded({ id: two, spec: { port: 8443, tag: 'in-2', protocol }, config: over });

export const clientAdded = (who: ClientDraft = alice, number: ClientNumber = first, inbound: InboundId = one) =>
  ClientAdded({ client: number, inbound, keyVersion: 1, ...who });

export const inboundDraft = (over: InboundOver & { readonly clients?: readonly ClientDraft[] } = {}): InboundDraft => ({
  spec: spec(over.spec),
  enabled: over.enabled ?? true,
  config: config(over.config),
  clients: over.clients ?? [],
});

/** The traffic of a poll in run `r1`. */
export const traffic = (over: Partial<TrafficSum>) =>
  TrafficRecorded({ run: 'r1', clients: [], inbounds: [], outbounds: [], ...over });

/** A roll-up of the measurements up to `lastAt`, ms, without any sums. */
export const rolledUp = (lastAt: number) =>
  MeasurementsRolledUp({
    ...{ fromPosition: 1, toPosition: 1, firstAt: 0, lastAt },
    ...{ digest: '', prunedCount: 0, sums: [], nodeSums: [] },
  });

/** The event as the effect of an earlier one of the same decision. */
export const caused = <E extends PanelEvent>(cause: number, event: E): Caused<E> => ({ ...event, cause });
