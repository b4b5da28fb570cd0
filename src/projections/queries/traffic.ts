import type { Client } from '../../events/client/client-document.js';
import { type Counter, sumOf, zero } from '../../events/traffic/counters.js';
import type { Foldings } from '../foldings.js';

/** Queries for the counted traffic of clients. */
export class TrafficQueries {
  readonly #models: Pick<Foldings, 'clients' | 'traffic'>;

  constructor(models: Pick<Foldings, 'clients' | 'traffic'>) {
    this.#models = models;
  }

  /** The traffic that is compared with the cap of a client: that of its email, on all inbounds and machines. */
  client(client: Client): Counter {
    const { clients: counters } = this.#models.traffic.state;
    const numbers = this.#models.clients.state.byEmail.siblings(client.number);
    if (!numbers) return counters.get(client.number) ?? zero;
    return sumOf(numbers.map((number) => counters.get(number) ?? zero));
  }

  /** When traffic of its email was last counted, in ms since 1970; 0 = never. */
  lastOnline(client: Client): number {
    const { lastOnline: times } = this.#models.traffic.state;
    const numbers = this.#models.clients.state.byEmail.siblings(client.number);
    if (!numbers) return times.get(client.number) ?? 0;
    return Math.max(...numbers.map((number) => times.get(number) ?? 0));
  }
}
