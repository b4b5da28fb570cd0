import type { AnyCommand } from '../../../commands/catalog.js';
import { depletionOf } from '../../../commands/client/limits.js';
import { type Client, mayConnect } from '../../../events/client/client-document.js';
import type { ReadModels } from '../../../projections/read-models.js';
import { wireClient } from '../codec/client.js';
import type { CLIENT_ACTIONS } from '../contract/client-list.js';

const DAY_MS = 86_400_000;

interface Asked {
  readonly action: (typeof CLIENT_ACTIONS)[number];
  readonly days: number;
  readonly bytes: number;
}

type Read = Pick<ReadModels, 'clients' | 'usage'>;
type Terms = Partial<Pick<Client['spec'], 'enabled' | 'capBytes' | 'expiresAt'>>;
type ManyCommand = Extract<AnyCommand, { type: 'ChangeClientTerms' | 'ResetClientsTraffic' | 'DeleteClients' }>;

interface Undo {
  terms: ({ client: number } & Terms)[];
  counters: { email: string; up: number; down: number }[];
  deleted: { inbound: number; client: Record<string, unknown> }[];
}

/** What an action would do to clients. */
interface Plan {
  /** Null if nothing would change. */
  readonly command: ManyCommand | null;
  readonly changed: readonly Client[];
  readonly disconnected: number;
  readonly reconnected: number;
  readonly undo: Undo;
}

/** The command for an action on clients, its effect, and what takes it back. */
export function planOf(asked: Asked, clients: readonly Client[], read: Read, now: number): Plan {
  const undo: Undo = { terms: [], counters: [], deleted: [] };
  switch (asked.action) {
    case 'delete': {
      const data = { clients: clients.map(({ number }) => number) };
      undo.deleted = clients.map((client) => ({ inbound: client.inbound, client: wireClient(client) }));
      const gone = new Set<number>(data.clients);
      // With a sibling left, the counters of the email stay where they are.
      undo.counters = counters(
        clients.filter((client) => read.clients.siblings(client).every(({ number }) => gone.has(number))),
        read,
      );
      const command: ManyCommand = { type: 'DeleteClients', data };
      return plan(command, clients, undo, clients.filter(mayConnect).length, 0);
    }
    case 'reset': {
      const changed = clients.filter((client) => used(read, client) > 0 || client.depletion?.reason === 'cap');
      undo.counters = counters(changed, read);
      const back = changed.filter((client) => !mayConnect(client) && connectsWith(client, {}, 0, now)).length;
      const data = { clients: changed.map(({ number }) => number) };
      return plan({ type: 'ResetClientsTraffic', data }, changed, undo, 0, back);
    }
    default:
      return termsPlan(asked, clients, read, now);
  }
}

function plan(
  command: ManyCommand,
  changed: readonly Client[],
  undo: Undo,
  disconnected: number,
  reconnected: number,
): Plan {
  return { command: changed.length === 0 ? null : command, changed, undo, disconnected, reconnected };
}

function termsPlan(asked: Asked, clients: readonly Client[], read: Read, now: number): Plan {
  const changed: Client[] = [];
  const terms: ({ client: Client['number'] } & Terms)[] = [];
  const undo: Undo = { terms: [], counters: [], deleted: [] };
  let disconnected = 0;
  let reconnected = 0;
  for (const client of clients) {
    const next = termsOf(asked, client, now);
    if (next === null) continue;
    const { number, spec } = client;
    changed.push(client);
    terms.push({ client: number, ...next });
    const former = Object.keys(next).map((key) => [key, spec[key as keyof Terms]]);
    undo.terms.push({ client: number, ...(Object.fromEntries(former) as Terms) });
    const after = connectsWith(client, next, used(read, client), now);
    if (mayConnect(client) && !after) disconnected += 1;
    if (!mayConnect(client) && after) reconnected += 1;
  }
  return plan({ type: 'ChangeClientTerms', data: { terms } }, changed, undo, disconnected, reconnected);
}

/** The new terms of a client; null if the action does not change it. */
function termsOf({ action, days, bytes }: Asked, { spec }: Client, now: number): Terms | null {
  switch (action) {
    case 'enable':
      return spec.enabled ? null : { enabled: true };
    case 'disable':
      return spec.enabled ? { enabled: false } : null;
    case 'extend':
      if (spec.expiresAt === 0 || days === 0) return null;
      // A period that has not started becomes longer; an expired client gets the days from now.
      if (spec.expiresAt < 0) return { expiresAt: spec.expiresAt - days * DAY_MS };
      return { expiresAt: Math.max(spec.expiresAt, now) + days * DAY_MS };
    default:
      return spec.capBytes === 0 || bytes === 0 ? null : { capBytes: spec.capBytes + bytes };
  }
}

function connectsWith(client: Client, terms: Terms, usedBytes: number, now: number): boolean {
  const { enabled, capBytes, expiresAt } = { ...client.spec, ...terms };
  return enabled && depletionOf(capBytes, expiresAt, { up: usedBytes, down: 0 }, now) === null;
}

function used(read: Read, client: Client): number {
  const { up, down } = read.usage.client(client);
  return up + down;
}

/** The counters of the emails of clients, each email once. */
function counters(clients: readonly Client[], read: Read): Undo['counters'] {
  const done = new Set<number>();
  return clients.flatMap((client) => {
    const [first = client] = read.clients.siblings(client);
    if (done.has(first.number)) return [];
    done.add(first.number);
    const { up, down } = read.usage.client(client);
    return up + down > 0 ? [{ email: client.identity.email, up, down }] : [];
  });
}
