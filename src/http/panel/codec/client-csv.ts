import type { Client } from '../../../events/client/client-document.js';
import { csvLine } from '../../../lib/csv.js';
import { stateOf } from '../../../projections/queries/client-list.js';
import type { ReadModels } from '../../../projections/read-models.js';

const HEADER = [
  ...['email', 'inbound', 'node', 'state', 'online', 'enabled', 'up', 'down', 'cap', 'expires', 'last online'],
  ...['created', 'addresses', 'renewal days', 'chat id', 'comment'],
];

/** Clients as CSV (RFC 4180, UTF-8), a line at a time. Bytes; times in ISO 8601; without credentials. */
export async function* clientLines(read: ReadModels, clients: readonly Client[], now: number): AsyncGenerator<string> {
  yield csvLine(HEADER);
  for (const client of clients) {
    const { identity, spec, createdAt } = client;
    const inbound = read.inbounds.get(client.inbound);
    const node = inbound?.node ? (read.nodes.get(inbound.node)?.name ?? inbound.node) : '';
    const { up, down } = read.usage.client(client);
    yield csvLine([
      ...[identity.email, inbound?.remark ?? '', node, stateOf(read, client, now)],
      ...[read.usage.isOnline(client, now) ? 'yes' : 'no', spec.enabled ? 'yes' : 'no', up, down, spec.capBytes],
      ...[expiryOf(spec.expiresAt), timeOf(read.usage.lastOnline(client)), timeOf(createdAt)],
      ...[spec.limitIp, spec.renewalDays, identity.tgId || '', identity.comment],
    ]);
  }
}

const timeOf = (at: number): string => (at > 0 ? new Date(at).toISOString() : '');

/** A period that has not started is a number of days after the first use. */
function expiryOf(at: number): string {
  return at < 0 ? `${Math.round(-at / 86_400_000)} days after first use` : timeOf(at);
}
