import type { RecordedEvent } from '../../events/catalog.js';
import { type Client, mayConnect } from '../../events/client/client-document.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import { isLocal, serves } from '../../events/inbound/inbound-document.js';
import type { CoreConfig, CoreInbound, CoreUser } from '../../lib/core-config.js';
import { digest } from '../../lib/digest.js';
import { type JsonObject, sameJson } from '../../lib/json.js';
import type { Clients } from '../models/clients.js';
import type { Inbounds } from '../models/inbounds.js';
import type { SettingsModel } from '../models/settings.js';
import { coreInbound, coreUser } from './core-json.js';
import { defaultTemplate } from './template.js';

/** What may differ between the log and the core since the last call. */
interface CoreChanges {
  readonly template: boolean;
  /** Tags of inbounds that were added, changed or removed. */
  readonly inbounds: ReadonlySet<string>;
  /** Clients that were added, changed or removed, by the tag of their inbound. */
  readonly users: ReadonlyMap<string, ReadonlySet<number>>;
}

/** Clients and inbounds that may no longer connect. */
interface Closed {
  readonly clients: ReadonlySet<ClientNumber>;
  readonly inbounds: ReadonlySet<InboundId>;
}

interface Entry extends CoreInbound {
  readonly users: Map<number, CoreUser>;
}

/**
 * The desired configuration: the template, the inbounds that serve and the clients that may connect. It follows the read
 * models event by event, so the cost of an edit does not depend on the number of clients.
 */
export class DesiredCore {
  readonly #inbounds: Inbounds;
  readonly #clients: Clients;
  readonly #settings: SettingsModel;
  readonly #entries = new Map<string, Entry>();
  /** The current tag of each inbound and client, under which it must be removed. */
  readonly #tags = new Map<InboundId, string>();
  readonly #places = new Map<ClientNumber, string>();
  /** The name of this machine in its cluster; null = the panel is alone, and runs every inbound. */
  #machine: string | null = null;
  /** Clients and inbounds that this machine has closed, although the log does not know it yet. */
  #closed: Closed = { clients: new Set(), inbounds: new Set() };
  #changes: { template: boolean; inbounds: Set<string>; users: Map<string, Set<number>> } = noChanges();

  constructor(models: { readonly inbounds: Inbounds; readonly clients: Clients; readonly settings: SettingsModel }) {
    this.#inbounds = models.inbounds;
    this.#clients = models.clients;
    this.#settings = models.settings;
    for (const id of this.#inbounds.keys()) this.#placeInbound(id);
    this.#changes = noChanges();
  }

  /** Whether it has the inbounds of all machines. */
  get isWhole(): boolean {
    return this.#machine === null;
  }

  /** Only the inbounds of this member of the cluster run. */
  runOn(machine: string): void {
    this.#machine = machine;
    for (const id of this.#inbounds.keys()) this.#placeInbound(id);
  }

  /** Keeps clients and inbounds out of the core in addition to those that the log has closed. */
  close(closed: Closed): void {
    const before = this.#closed;
    this.#closed = closed;
    for (const id of differing(before.inbounds, closed.inbounds)) this.#placeInbound(id);
    for (const number of differing(before.clients, closed.clients)) this.#placeClient(number);
  }

  /** The desired configuration. The maps are live: read them before the next event. */
  config(): CoreConfig {
    return { template: this.template(), inbounds: this.#entries };
  }

  template(): JsonObject {
    return this.#settings.template?.template ?? defaultTemplate;
  }

  /** Returns the changes since the last call, and clears them. */
  takeChanges(): CoreChanges {
    const changes = this.#changes;
    this.#changes = noChanges();
    return changes;
  }

  /** The id of the inbound that runs under a tag. */
  inboundOf(tag: string): InboundId | undefined {
    for (const [id, own] of this.#tags) if (own === tag) return id;
    return undefined;
  }

  /** After the read models have folded the batch. */
  apply(events: readonly RecordedEvent[]): void {
    for (const { type, data } of events) {
      if (type === 'LeaderElected') for (const id of this.#inbounds.keys()) this.#placeInbound(id);
      else if (type === 'CoreTemplateChanged') this.#changes.template = true;
      // A reset of many counters would otherwise compare all of these clients with the core.
      else if (type.startsWith('ClientTraffic')) continue;
      else if (type.startsWith('Client') && 'client' in data) this.#placeClient(data.client);
      else if (type.startsWith('Inbound') && 'inbound' in data) this.#placeInbound(data.inbound);
    }
  }

  digest(): string {
    const inbounds = [...this.#entries.values()].sort((a, b) => (a.tag < b.tag ? -1 : 1));
    const rendered = inbounds.map(({ config, users }) => [config, [...users.values()].sort(byNumber)]);
    return digest({ template: this.template(), inbounds: rendered });
  }

  #placeInbound(id: InboundId): void {
    const inbound = this.#inbounds.get(id);
    const before = this.#tags.get(id);
    const isOpen = inbound !== undefined && serves(inbound) && !this.#closed.inbounds.has(id);
    const after = isOpen && isLocal(inbound, this.#machine) ? inbound.tag : undefined;
    if (before !== undefined && before !== after) {
      this.#changes.inbounds.add(before);
      this.#entries.delete(before);
    }
    if (!inbound || after === undefined) {
      this.#tags.delete(id);
      return;
    }
    const rendered = coreInbound(inbound);
    // A new remark or a reset counter does not concern the core.
    if (before === after && sameJson(this.#entries.get(after)?.config, rendered.config)) return;
    this.#tags.set(id, after);
    this.#changes.inbounds.add(after);
    this.#entries.set(after, { ...rendered, users: new Map() });
    for (const number of this.#clients.ofInbound.get(id)) this.#placeClient(number);
  }

  #placeClient(number: ClientNumber): void {
    const client = this.#clients.byNumber.get(number);
    const before = this.#places.get(number);
    if (before !== undefined) {
      this.#entries.get(before)?.users.delete(number);
      this.#userChanged(before, number);
      this.#places.delete(number);
    }
    const place = client && this.#placeOf(client);
    if (!client || !place) return;
    const inbound = this.#inbounds.get(client.inbound);
    if (!inbound) return;
    place.users.set(number, coreUser(inbound, client));
    this.#places.set(number, place.tag);
    this.#userChanged(place.tag, number);
  }

  #placeOf(client: Client): Entry | undefined {
    const tag = this.#tags.get(client.inbound);
    const entry = tag === undefined ? undefined : this.#entries.get(tag);
    return entry?.hotUsers && mayConnect(client) && !this.#closed.clients.has(client.number) ? entry : undefined;
  }

  #userChanged(tag: string, client: ClientNumber): void {
    const clients = this.#changes.users.get(tag);
    if (clients) clients.add(client);
    else this.#changes.users.set(tag, new Set([client]));
  }
}

function noChanges() {
  return { template: false, inbounds: new Set<string>(), users: new Map<string, Set<number>>() };
}

/** The members of one set that are not in the other. */
function differing<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): readonly T[] {
  return [...[...one].filter((each) => !other.has(each)), ...[...other].filter((each) => !one.has(each))];
}

const byNumber = (a: CoreUser, b: CoreUser): number => a.client - b.client;
