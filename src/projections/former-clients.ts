import type { RecordedEvent } from '../events/catalog.js';
import { type Client, emailKey } from '../events/client/client-document.js';
import type { ClientNumber, InboundId } from '../events/ids.js';
import { ManyMap } from '../lib/many-map.js';

/** A client that was deleted, as it was called then. */
export interface FormerClient {
  readonly number: ClientNumber;
  readonly email: string;
  readonly inbound: InboundId;
  /** Of the credential that it had: with the key of that life goes its name. */
  readonly keyVersion: number;
}

const IDENTITY_KEY = /^client:\d+\/\d+$/;

/** Clients that are no more, by the email that they had. Who is erased is forgotten here as in the log. */
export class FormerClients {
  readonly #byNumber = new Map<number, FormerClient>();
  readonly #byEmail = new ManyMap<string, ClientNumber>();

  /** Everyone who was deleted with this email, the lowest number first. */
  of(email: string): readonly FormerClient[] {
    const numbers = [...this.#byEmail.get(emailKey(email))].sort((a, b) => a - b);
    return numbers.flatMap((number) => this.#byNumber.get(number) ?? []);
  }

  put(former: FormerClient): void {
    this.#byNumber.set(former.number, former);
    this.#byEmail.put(emailKey(former.email), former.number);
  }

  /** `client`: what the event is about, as it was before it. */
  apply(event: RecordedEvent, client: Client | undefined): void {
    if (event.type === 'ClientDeleted' && client) {
      const { number, identity, inbound, keyVersion } = client;
      this.put({ number, email: identity.email, inbound, keyVersion });
    } else if (event.type === 'DataKeyDestroyed' && IDENTITY_KEY.test(event.data.key)) {
      const [number, keyVersion] = event.data.key.slice('client:'.length).split('/').map(Number);
      const former = this.#byNumber.get(number ?? 0);
      if (former?.keyVersion !== keyVersion || former === undefined) return;
      this.#byNumber.delete(former.number);
      this.#byEmail.take(emailKey(former.email), former.number);
    }
  }

  save(): readonly FormerClient[] {
    return [...this.#byNumber.values()].sort((a, b) => a.number - b.number);
  }
}
