import type { RecordedEvent } from '../../events/catalog.js';
import { type Client, emailKey } from '../../events/client/client-document.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import { ManyMap } from '../../lib/many-map.js';

/** A deleted client with the email that it had. */
export interface DeletedClient {
  readonly number: ClientNumber;
  readonly email: string;
  readonly inbound: InboundId;
  /** Version of its last data key. Its email is erased with that key. */
  readonly keyVersion: number;
}

const IDENTITY_KEY = /^client:\d+\/\d+$/;

/** Deleted clients by the email that they had. Erased clients are forgotten. */
export class DeletedClients {
  readonly #byNumber = new Map<number, DeletedClient>();
  readonly #byEmail = new ManyMap<string, ClientNumber>();

  /** The deleted clients with this email, the lowest number first. */
  of(email: string): readonly DeletedClient[] {
    const numbers = [...this.#byEmail.get(emailKey(email))].sort((a, b) => a - b);
    return numbers.flatMap((number) => this.#byNumber.get(number) ?? []);
  }

  put(client: DeletedClient): void {
    this.#byNumber.set(client.number, client);
    this.#byEmail.add(emailKey(client.email), client.number);
  }

  /** `client`: the client of the event, as it was before the event. */
  apply(event: RecordedEvent, client: Client | undefined): void {
    if (event.type === 'ClientDeleted' && client) {
      const { number, identity, inbound, keyVersion } = client;
      this.put({ number, email: identity.email, inbound, keyVersion });
    } else if (event.type === 'DataKeyDestroyed' && IDENTITY_KEY.test(event.data.key)) {
      const [number, keyVersion] = event.data.key.slice('client:'.length).split('/').map(Number);
      const deleted = this.#byNumber.get(number ?? 0);
      if (deleted?.keyVersion !== keyVersion || deleted === undefined) return;
      this.#byNumber.delete(deleted.number);
      this.#byEmail.remove(emailKey(deleted.email), deleted.number);
    }
  }

  save(): readonly DeletedClient[] {
    return [...this.#byNumber.values()].sort((a, b) => a.number - b.number);
  }
}
