import type { Client } from '../../events/client/client-document.js';
import { type Counter, sumOf, zero } from '../../events/traffic/counters.js';
import type { Steps } from '../../lib/time/slices.js';
import type { ReadModels } from '../read-models.js';

/** What a recount gives for one email. */
export interface RecountChange {
  /** One of the clients with the email. */
  readonly client: number;
  readonly email: string;
  /** Bytes under the rules of the panel. */
  readonly counted: Counter;
  /** Bytes under the other rules. */
  readonly recounted: Counter;
}

type CounterOf = (client: number) => Counter | undefined;

/** Clients that are compared in one step. */
const STEP = 100;

/** The emails of these clients whose counters differ, each once, in the order of the clients. */
export function* recountChanges(
  { clients: all }: Pick<ReadModels, 'clients'>,
  chosen: Iterable<Client>,
  counted: CounterOf,
  recounted: CounterOf,
): Steps<RecountChange[]> {
  const changes: RecountChange[] = [];
  const seen = new Set<number>();
  let compared = 0;
  for (const client of chosen) {
    compared += 1;
    if (compared % STEP === 0) yield;
    if (seen.has(client.number)) continue;
    const siblings = all.siblings(client).map(({ number }) => number);
    for (const number of siblings) seen.add(number);
    const [was, is] = [counted, recounted].map((counterOf) => sumOf(siblings.map((one) => counterOf(one) ?? zero)));
    if (!was || !is || (was.up === is.up && was.down === is.down)) continue;
    changes.push({ client: client.number, email: client.identity.email, counted: was, recounted: is });
  }
  return changes;
}

/** Bytes up and down together. */
export const bytesOf = ({ up, down }: Counter): number => up + down;
