import type { Access } from '../../events/access/access-of.js';
import type { RecordedEvent } from '../../events/catalog.js';
import type { ReadModels } from '../../projections/read-models.js';

interface Former {
  readonly inbound: number;
  readonly owner: number | undefined;
}

/**
 * The inbounds and owners of the clients before the newest events. The read models have only the present, so an admin whose
 * client was deleted or handed to another admin could not be found in them.
 */
export class FormerOwners {
  readonly #read: ReadModels;
  #clients: Map<number, Former> | null = null;

  constructor(read: ReadModels) {
    this.#read = read;
  }

  /** From now on the owners are known. Costs as much as reading all clients, once. */
  remember(): void {
    this.#clients ??= new Map([...this.#read.clients.all()].map(({ number }) => [number, this.#now(number)]));
  }

  /** Whether a client that an event deletes or hands over was visible before to a caller with this access. */
  sawLost(access: Access, { type, data }: RecordedEvent): boolean {
    const lost = type === 'OwnerAssigned' ? data.clients : type === 'ClientDeleted' ? [data.client] : [];
    return lost.some((number) => {
      const former = this.#clients?.get(number);
      return former !== undefined && access.covers('clients:read', former.inbound, former.owner);
    });
  }

  /** Takes the owners after events, which were announced. `isNeeded`: whether there is a caller who needs them later. */
  follow(events: readonly RecordedEvent[], isNeeded: boolean): void {
    if (!isNeeded) {
      this.#clients = null;
      return;
    }
    const clients = this.#clients;
    if (clients === null) return this.remember();
    for (const { type, data } of events) {
      if (type === 'ClientDeleted') clients.delete(data.client);
      const changed = type === 'OwnerAssigned' ? data.clients : type === 'ClientAdded' ? [data.client] : [];
      for (const number of changed) if (this.#read.clients.get(number)) clients.set(number, this.#now(number));
    }
  }

  #now(number: number): Former {
    const { owners } = this.#read.admins.access();
    return { inbound: this.#read.clients.get(number)?.inbound ?? 0, owner: owners.get(number) };
  }
}
