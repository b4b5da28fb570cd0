import type { Client } from '../../events/client/client-document.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import type { Foldings } from '../foldings.js';
import type { DeletedClient } from '../models/deleted-clients.js';

/** Queries for clients. */
export class ClientQueries {
  readonly #clients: Foldings['clients'];
  readonly #sees: ((client: Client) => boolean) | null;

  /** `sees`: the clients that exist for the reader; by default all. */
  constructor({ clients }: Pick<Foldings, 'clients'>, sees: ((client: Client) => boolean) | null = null) {
    this.#clients = clients;
    this.#sees = sees;
  }

  all(): Iterable<Client> {
    const all = this.#clients.state.byNumber.values();
    return this.#sees ? [...all].filter(this.#sees) : all;
  }

  get count(): number {
    return this.#clients.state.byNumber.size;
  }

  get(number: number): Client | undefined {
    const client = this.#clients.state.byNumber.get(number as ClientNumber);
    return client && this.#sees && !this.#sees(client) ? undefined : client;
  }

  /** The first of the clients with this email. */
  firstByEmail(email: string): Client | undefined {
    if (this.#sees) return this.byEmail(email)[0];
    const number = this.#clients.state.byEmail.first(email);
    return number === undefined ? undefined : this.get(number);
  }

  /** All clients with this email, one for each inbound. */
  byEmail(email: string): readonly Client[] {
    return this.#documents(this.#clients.state.byEmail.get(email));
  }

  byId(id: string): readonly Client[] {
    return this.#documents(this.#clients.state.byId.get(id));
  }

  bySubId(subId: string): readonly Client[] {
    return this.#documents(this.#clients.state.bySubId.get(subId));
  }

  /** In the order in which they were added. */
  ofInbound(inbound: InboundId): readonly Client[] {
    return this.#documents(this.#clients.state.ofInbound.get(inbound));
  }

  inInbound(inbound: InboundId, email: string): Client | undefined {
    return this.byEmail(email).find((client) => client.inbound === inbound);
  }

  /** All clients with the email of this one, itself included, in the order of their numbers. */
  siblings(client: Client): readonly Client[] {
    const numbers = this.#clients.state.byEmail.siblings(client.number);
    return numbers ? this.#documents(numbers) : [client];
  }

  /** Whether it represents its email in lists that name each email once. */
  isFirst(client: Client): boolean {
    const numbers = this.#clients.state.byEmail.siblings(client.number);
    return numbers === undefined || this.#documents(numbers)[0]?.number === client.number;
  }

  /** Clients that were deleted with this email and are not erased yet, the lowest number first. */
  deleted(email: string): readonly DeletedClient[] {
    // The owner of a deleted client is no longer known.
    return this.#sees ? [] : this.#clients.state.deleted.of(email);
  }

  #documents(numbers: readonly ClientNumber[]): readonly Client[] {
    // Every subscription request runs this: a closure and a list for each client would be measurable.
    const all: Client[] = [];
    for (const number of numbers) {
      const client = this.get(number);
      if (client) all.push(client);
    }
    return all;
  }
}
