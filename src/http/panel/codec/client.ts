import { type ClientDraft, clientKey } from '../../../commands/client/credentials.js';
import type { ClientIdentity } from '../../../events/client/client.js';
import type { Client } from '../../../events/client/client-document.js';
import type { Protocol } from '../../../events/inbound/inbound.js';
import { apiClient } from '../../../projections/node/api-client.js';
import type { WireClient } from '../contract/schemas/client.js';
import { freshSubId } from './fresh.js';

/** Members of a wire client that the panel models or computes. All others are stored as received. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['id', 'security', 'password', 'flow', 'reverse', 'auth', 'method', 'email', 'limitIp', 'totalGB', 'expiryTime'],
  ...['enable', 'tgId', 'subId', 'comment', 'reset', 'created_at', 'updated_at'],
  // Members of a counter row: some callers send both in one object.
  ...['up', 'down', 'total', 'allTime', 'inboundId', 'uuid', 'lastOnline'],
]);

type Stored = Pick<Client, 'spec' | 'identity' | 'credential'> & { readonly number: number };

const blank: Stored = {
  number: 0,
  spec: {
    enabled: true,
    capBytes: 0,
    expiresAt: 0,
    limitIp: 0,
    flow: '',
    security: '',
    method: '',
    renewalDays: 0,
    reverseTag: '',
  },
  identity: { email: '', subId: '', comment: '', tgId: 0, extra: {} },
  credential: { id: '', password: '', auth: '' },
};

/** Parses a wire client. Missing members are taken from `current`, or from the defaults of a new client. */
export function clientDraft(wire: WireClient, protocol: Protocol, current?: Stored): ClientDraft {
  const before = current ?? blank;
  const { spec, identity } = before;
  return {
    spec: {
      enabled: wire.enable ?? spec.enabled,
      capBytes: wire.totalGB ?? spec.capBytes,
      expiresAt: wire.expiryTime ?? spec.expiresAt,
      limitIp: wire.limitIp ?? spec.limitIp,
      flow: wire.flow ?? spec.flow,
      security: wire.security ?? spec.security,
      method: wire.method ?? spec.method,
      renewalDays: wire.reset ?? spec.renewalDays,
      reverseTag: wire.reverse?.tag ?? spec.reverseTag,
    },
    identity: {
      email: wire.email ?? identity.email,
      subId: current ? (wire.subId ?? identity.subId) : wire.subId || freshSubId(),
      comment: wire.comment ?? identity.comment,
      tgId: wire.tgId ?? identity.tgId,
      extra: { ...identity.extra, ...extraOf(wire) },
    },
    credential: credentialOf(wire, protocol, before),
  };
}

/** A client as a draft that changes nothing. */
export function keptDraft({ spec, identity, credential }: Client): ClientDraft {
  return { spec, identity, credential };
}

/** The key of a wire client in the paths of the panel API. */
export function wireKey(protocol: Protocol, wire: WireClient): string {
  return clientKey(protocol, {
    identity: { ...blank.identity, email: wire.email ?? '' },
    credential: credentialOf(wire, protocol, blank),
  });
}

function credentialOf(wire: WireClient, protocol: Protocol, { number, credential }: Stored): ClientDraft['credential'] {
  // In a counter row, `id` is the number of the client; it is not a credential.
  const id = number > 0 && wire.id === String(number) ? credential.id : (wire.id ?? credential.id);
  const password = wire.password ?? credential.password;
  const auth = wire.auth ?? credential.auth;
  // The specification also calls a password `id`.
  if (protocol === 'trojan' || protocol === 'shadowsocks') return { id, password: password || id, auth };
  if (protocol === 'hysteria' || protocol === 'hysteria2') return { id, password, auth: auth || password || id };
  return { id, password, auth };
}

function extraOf(wire: WireClient): ClientIdentity['extra'] {
  const members = Object.entries(wire).filter(([name, value]) => !KNOWN.has(name) && value !== undefined);
  return Object.fromEntries(members) as ClientIdentity['extra'];
}

/** A client as an element of `settings.clients`. */
export function wireClient(client: Client): Record<string, unknown> {
  const wire: Record<string, unknown> = apiClient(client);
  wire['created_at'] = client.createdAt;
  wire['updated_at'] = client.updatedAt;
  return Object.assign(wire, client.identity.extra);
}
