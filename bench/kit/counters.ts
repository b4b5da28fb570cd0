import { encode } from '../../src/adapters/core/control/messages.js';
import { accountName } from '../../src/lib/account-name.js';
import { emailOf, growths } from './fleet.js';

/** The counters of a core with `clients` clients, of which every tenth has traffic between two polls. */
export class CoreAnswers {
  readonly #counts: { up: number; down: number }[];
  readonly #chance: () => number;

  constructor(clients: number, chance: () => number) {
    this.#counts = Array.from({ length: clients }, (_, i) => ({ up: 5000 + i, down: 100_000 + i }));
    this.#chance = chance;
  }

  /** The answer of the core to the next poll, as it arrives. */
  next(): Buffer {
    const { length } = this.#counts;
    for (const [client, up, down] of growths(this.#chance, length / 10, length)) {
      const count = this.#counts[client - 1];
      if (count) this.#counts[client - 1] = { up: count.up + up, down: count.down + down };
    }
    const stat = this.#counts.flatMap(({ up, down }, i) => {
      const name = `user>>>${accountName({ client: i + 1, email: emailOf(i + 1) })}>>>traffic>>>`;
      return [
        { name: `${name}uplink`, value: up },
        { name: `${name}downlink`, value: down },
      ];
    });
    return encode('xray.app.stats.command.QueryStatsResponse', { stat });
  }
}
