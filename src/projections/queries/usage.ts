import type { Client } from '../../events/client/client-document.js';
import type { ClientNumber } from '../../events/ids.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import { type Counter, zero } from '../../events/traffic/counters.js';
import { baselinesOf, counterOwner, tagsToPassOn } from '../core/baselines.js';
import type { Foldings } from '../foldings.js';
import { newestFirst } from '../models/client-ips.js';
import { ONLINE_WINDOW_MS, OnlineGauge } from '../models/online.js';
import type { ClientQueries } from './clients.js';
import { TrafficQueries } from './traffic.js';

/** Queries for traffic, connections and addresses. */
export class UsageQueries extends TrafficQueries {
  readonly #models: Foldings;
  readonly #clients: ClientQueries;
  readonly online: OnlineGauge;

  constructor(models: Foldings, clients: ClientQueries, online = new OnlineGauge()) {
    super(models);
    this.online = online;
    this.#models = models;
    this.#clients = clients;
  }

  /** The part of one client. The core of this panel counts all its inbounds with this email for one of the siblings. */
  clientAlone(client: Client): Counter {
    return this.#models.traffic.state.clients.get(client.number) ?? zero;
  }

  /** As `client`, without resets. */
  clientAllTime(client: Client): number {
    const { clientsAllTime: totals } = this.#models.traffic.state;
    const numbers = this.#models.clients.state.byEmail.siblings(client.number);
    if (!numbers) return totals.get(client.number) ?? 0;
    return numbers.reduce((sum, number) => sum + (totals.get(number) ?? 0), 0);
  }

  inbound(inbound: Inbound): Counter {
    return this.#models.traffic.state.inbounds.get(inbound.id) ?? zero;
  }

  inboundAllTime(inbound: Inbound): number {
    return this.#models.traffic.state.inboundsAllTime.get(inbound.id) ?? 0;
  }

  outbounds(): ReadonlyMap<string, Counter> {
    return this.#models.traffic.state.outbounds;
  }

  /** Emails with an open connection, or with traffic in the last seconds. */
  onlineEmails(now: number): readonly string[] {
    const emails = new Set<string>();
    for (const email of this.online.emails) {
      const client = this.#clients.firstByEmail(email);
      if (client) emails.add(client.identity.email);
    }
    for (const [number, at] of this.#models.traffic.state.lastOnline) {
      if (now - at > ONLINE_WINDOW_MS) continue;
      const client = this.#clients.get(number);
      const [first] = client ? this.#clients.siblings(client) : [];
      if (first) emails.add(first.identity.email);
    }
    return [...emails];
  }

  /** Whether the email of a client has an open connection, or had traffic in the last seconds. */
  isOnline(client: Client, now: number): boolean {
    if (!this.#models.clients.state.byEmail.siblings(client.number)) return this.#isOnlineAlone(client, now);
    return this.#clients.siblings(client).some((sibling) => this.#isOnlineAlone(sibling, now));
  }

  #isOnlineAlone({ number, identity }: Client, now: number): boolean {
    const seen = this.#models.traffic.state.lastOnline.get(number);
    return (seen !== undefined && now - seen <= ONLINE_WINDOW_MS) || this.online.has(identity.email);
  }

  /** Addresses from which its email was connected, with the time they were last seen, newest first. */
  addresses(client: Client): readonly (readonly [string, number])[] {
    return newestFirst(this.#clients.siblings(client).map(({ number }) => this.#models.clientIps.state.get(number)));
  }

  /** When the email of a client was last connected from an address, in ms; 0 = never, or the client is deleted. */
  addressSeen(client: number, ip: string): number {
    const { state } = this.#models.clientIps;
    const numbers = this.#models.clients.state.byEmail.siblings(client as ClientNumber);
    if (!numbers) return state.get(client)?.get(ip) ?? 0;
    return Math.max(...numbers.map((number) => state.get(number)?.get(ip) ?? 0));
  }

  /** The last recorded readings of the counters of a running core: of a member of the cluster, or of a panel that is alone. */
  baselines(machine: string | null) {
    const state = baselinesOf(this.#models.baselines.state, machine);
    return {
      run: state.run,
      clients: state.clients,
      inbounds: state.inbounds,
      outbounds: state.outbounds,
      ownerOf: (tag: string) => counterOwner(state, tag),
      toPassOn: () => tagsToPassOn(state),
    };
  }
}
