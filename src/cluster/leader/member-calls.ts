import { answerReading, askReading, reportCopy, takeCopies } from '../../adapters/nats/requests.js';
import type { Connected } from '../connect.js';
import type { Copies, Copy } from './copies.js';

interface Parts {
  /** Of this member. */
  readonly name: string;
  readonly connection: Connected['connection'];
  readonly warn: (message: string, fields?: object) => void;
}

/** What members say to each other beside the requests to the leader: their last readings, and what they have of the log. */
export class MemberCalls {
  readonly #parts: Parts;
  #ignore: () => void = () => undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Has the leader ask this machine to record what it has counted. */
  answerReading(record: () => Promise<unknown>): void {
    const { connection, name } = this.#parts;
    answerReading(connection, name, record, this.#invalid);
  }

  /** Has other members record what their machines have counted. Resolves when they have, or after two seconds. */
  async readings(members: readonly string[]): Promise<void> {
    const { connection } = this.#parts;
    // What a machine without an answer has counted is recorded later.
    await Promise.all(members.map((member) => askReading(connection, member).catch(() => undefined)));
  }

  /** Reports to the leader what this follower has durably. */
  reportCopy(copy: Omit<Copy, 'member'>): void {
    const { connection, name } = this.#parts;
    reportCopy(connection, { member: name, ...copy });
  }

  /** Takes what the followers have, as the leader, until `end`. */
  takeCopies(copies: Pick<Copies, 'take'>): void {
    this.#ignore = takeCopies(this.#parts.connection, (copy) => copies.take(copy), this.#invalid);
  }

  end(): void {
    this.#ignore();
  }

  readonly #invalid = (error: unknown): void =>
    this.#parts.warn('a member sent an invalid message', { error: String(error) });
}
