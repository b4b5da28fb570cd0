import type { AnyCommand } from '../../../../commands/catalog.js';
import { depletionOf } from '../../../../commands/client/limits.js';
import type { RecordedEvent } from '../../../../events/catalog.js';
import { type Client, mayConnect } from '../../../../events/client/client-document.js';
import { sameJson } from '../../../../lib/json.js';
import type { ReadModels } from '../../../../projections/read-models.js';
import { wireClient } from '../../codec/client.js';
import { movedDraft } from '../../codec/moved-client.js';
import type { CLIENT_ACTIONS } from '../../contract/clients/list.js';

const DAY_MS = 86_400_000;

interface Asked {
  readonly action: (typeof CLIENT_ACTIONS)[number];
  readonly days: number;
  readonly bytes: number;
  readonly to: number;
}

type Read = Pick<ReadModels, 'clients' | 'usage' | 'inbounds'>;
type Terms = Partial<Pick<Client['spec'], 'enabled' | 'capBytes' | 'expiresAt'>>;
type ManyCommand = Extract<
  AnyCommand,
  { type: 'ChangeClientTerms' | 'ResetClientsTraffic' | 'DeleteClients' | 'MoveClients' }
>;

interface Undo {
  terms: ({ client: number } & Terms)[];
  counters: { email: string; up: number; down: number }[];
  deleted: { inbound: number; client: Record<string, unknown> }[];
  moved: { number: number; inbound: number; client: Record<string, unknown> }[];
}

/** What an action would do to clients. */
interface Plan {
  /** Null if nothing would change. */
  readonly command: ManyCommand | null;
  readonly changed: readonly Client[];
  /** Changed clients that can connect before and not after, and the other way round. */
  readonly disconnected: readonly Client[];
  readonly reconnected: readonly Client[];
  readonly undo: Undo;
  /** Moved clients that get new credentials. */
  readonly rekeyed: number;
}

/** The command for an action on clients, its effect, and what takes it back. */
export function planOf(asked: Asked, clients: readonly Client[], read: Read, now: number): Plan {
  const undo = noUndo();
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
      return plan(command, clients, undo, clients.filter(mayConnect), []);
    }
    case 'reset': {
      const changed = clients.filter((client) => used(read, client) > 0 || client.depletion?.reason === 'cap');
      undo.counters = counters(changed, read);
      // The counters of an email are those of its clients in all inbounds.
      const shared = [...new Set(changed.flatMap((client) => read.clients.siblings(client)))];
      const back = shared.filter((client) => !mayConnect(client) && connectsWith(client, {}, 0, now));
      const data = { clients: changed.map(({ number }) => number) };
      return plan({ type: 'ResetClientsTraffic', data }, changed, undo, [], back);
    }
    case 'move':
      return movePlan(asked.to, clients, read);
    default:
      return termsPlan(asked, clients, read, now);
  }
}

/** The emails of the first clients of each effect. */
export function namesOf({ changed, disconnected, reconnected }: Plan, clients: readonly Client[], most: number) {
  const isCut = new Set(disconnected);
  const isBack = new Set(reconnected);
  const isChanged = new Set(changed);
  const emails = (some: readonly Client[]): string[] => some.slice(0, most).map(({ identity }) => identity.email);
  return {
    disconnected: emails(disconnected),
    reconnected: emails(reconnected),
    others: emails(changed.filter((client) => !isCut.has(client) && !isBack.has(client))),
    same: emails(clients.filter((client) => !isChanged.has(client))),
  };
}

const noUndo = (): Undo => ({ terms: [], counters: [], deleted: [], moved: [] });

/** Clients go to another inbound with the credentials that its protocol takes; connections end. */
function movePlan(to: number, clients: readonly Client[], read: Read): Plan {
  const target = read.inbounds.get(to);
  if (!target) return plan({ type: 'MoveClients', data: { moves: [] } }, [], noUndo(), [], []);
  const changed = clients.filter(({ inbound }) => inbound !== target.id);
  const moves = changed.map((client) => ({
    client: client.number,
    inbound: target.id,
    draft: movedDraft(client, target),
  }));
  const undo = noUndo();
  undo.moved = changed.map((client) => ({ number: 0, inbound: client.inbound, client: wireClient(client) }));
  const rekeyed = moves.filter(({ draft }, index) => !sameJson(draft.credential, changed[index]?.credential)).length;
  const command: ManyCommand = { type: 'MoveClients', data: { moves } };
  return { ...plan(command, changed, undo, changed.filter(mayConnect), []), rekeyed };
}

function plan(
  command: ManyCommand,
  changed: readonly Client[],
  undo: Undo,
  disconnected: readonly Client[],
  reconnected: readonly Client[],
): Plan {
  return { command: changed.length === 0 ? null : command, changed, undo, disconnected, reconnected, rekeyed: 0 };
}

function termsPlan(asked: Asked, clients: readonly Client[], read: Read, now: number): Plan {
  const changed: Client[] = [];
  const terms: ({ client: Client['number'] } & Terms)[] = [];
  const undo = noUndo();
  const disconnected: Client[] = [];
  const reconnected: Client[] = [];
  for (const client of clients) {
    const next = termsOf(asked, client, now);
    if (next === null) continue;
    const { number, spec } = client;
    changed.push(client);
    terms.push({ client: number, ...next });
    const former = Object.keys(next).map((key) => [key, spec[key as keyof Terms]]);
    undo.terms.push({ client: number, ...(Object.fromEntries(former) as Terms) });
    const after = connectsWith(client, next, used(read, client), now);
    if (mayConnect(client) && !after) disconnected.push(client);
    if (!mayConnect(client) && after) reconnected.push(client);
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

/** What takes moves back names the clients by the numbers that they have now. */
export function withNumbers(undo: Undo, events: readonly RecordedEvent[]): Undo {
  const added = events.flatMap((event) => (event.type === 'ClientAdded' ? [event.data.client] : []));
  return { ...undo, moved: undo.moved.map((move, index) => ({ ...move, number: added[index] ?? 0 })) };
}
