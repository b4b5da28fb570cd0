import { Rejection } from '../commands/rejection.js';
import type { ClientNumber } from '../events/ids.js';
import { soonLine } from './list-screens.js';
import type { BotParts } from './parts.js';
import { type Screen, screen } from './screen.js';
import { type Soon, soonOver } from './soon.js';
import { bold, Words } from './words.js';

/** Clients of one event, and names of one message. */
const AT_ONCE = 1000;
const MOST_NAMES = 50;

/** Tells of clients that are soon over: of each once for its term and once for its bytes, which the log remembers. */
export class Warnings {
  readonly #parts: BotParts;
  readonly #tell: (shown: Screen) => void;

  constructor(parts: BotParts, tell: (shown: Screen) => void) {
    this.#parts = parts;
    this.#tell = tell;
  }

  /** Once round all clients. */
  look(): void {
    const { read, now } = this.#parts;
    const { expireDiff, trafficDiff } = read.settings.current();
    if (expireDiff + trafficDiff === 0) return;
    const at = now();
    const known = read.records.warnedOf();
    const fresh: Soon[] = [];
    for (const client of read.clients.all()) {
      const soon = soonOver(client, read, at);
      if (!soon) continue;
      const expiry = soon.expiry && !known.expiry.has(client.number);
      const cap = soon.cap && !known.cap.has(client.number);
      if (expiry || cap) fresh.push({ client, expiry, cap });
      if (fresh.length === AT_ONCE) break;
    }
    if (fresh.length > 0) this.#warn(fresh);
  }

  /** Remembered first: told twice is worse than what /soon shows anyway. */
  #warn(fresh: readonly Soon[]): void {
    const { read, dispatchAsBot, warn } = this.#parts;
    const numbers = (of: 'expiry' | 'cap'): readonly ClientNumber[] =>
      fresh.filter((soon) => soon[of]).map(({ client }) => client.number);
    const data = { expiring: numbers('expiry'), nearCap: numbers('cap') };
    const done = dispatchAsBot({ type: 'RecordClientWarnings', data });
    if (done instanceof Rejection) return warn('nobody was told who is soon over', { reason: done.message });
    const words = new Words(this.#parts.speech());
    const lines = fresh.slice(0, MOST_NAMES).map(({ client }) => soonLine(client, read, words));
    const more = fresh.length - MOST_NAMES;
    const rest = more > 0 ? [words.t('and {count} more', { count: more })] : [];
    this.#tell(screen([bold(words.t('These clients are soon over')), ...lines, ...rest]));
  }
}
