import { asSystem } from '../commands/bus.js';
import { Rejection } from '../commands/rejection.js';
import type { ClientNumber } from '../events/ids.js';
import { type EndingSoon, endingSoon } from './ending-soon.js';
import { soonLine } from './list-screens.js';
import type { BotParts } from './parts.js';
import { type Screen, screen } from './screen.js';
import { bold, Words } from './words.js';

/** The most clients in one event, and names in one message. */
const MAX_CLIENTS = 1000;
const MAX_NAMES = 50;

/** Warns the admins of clients that end soon: once about the expiry and once about the cap, as the log remembers. */
export class Warnings {
  readonly #parts: BotParts;
  readonly #send: (screen: Screen) => void;

  constructor(parts: BotParts, send: (screen: Screen) => void) {
    this.#parts = parts;
    this.#send = send;
  }

  /** Looks at every client once. */
  check(): void {
    const { read, now } = this.#parts;
    const { expireDiff, trafficDiff } = read.settings.current();
    if (expireDiff + trafficDiff === 0) return;
    const at = now();
    const known = read.records.warnedOf();
    const fresh: EndingSoon[] = [];
    for (const client of read.clients.all()) {
      const soon = endingSoon(client, read, at);
      if (!soon) continue;
      const expiry = soon.expiry && !known.expiry.has(client.number);
      const cap = soon.cap && !known.cap.has(client.number);
      if (expiry || cap) fresh.push({ client, expiry, cap });
      if (fresh.length === MAX_CLIENTS) break;
    }
    if (fresh.length > 0) this.#warn(fresh);
  }

  /**
   * Records the warnings before they are sent: a lost warning is still listed by /soon, while repeated warnings are
   * annoying.
   */
  #warn(fresh: readonly EndingSoon[]): void {
    const { read, dispatch, warn } = this.#parts;
    const numbers = (of: 'expiry' | 'cap'): readonly ClientNumber[] =>
      fresh.filter((soon) => soon[of]).map(({ client }) => client.number);
    const data = { expiring: numbers('expiry'), nearCap: numbers('cap') };
    const done = dispatch({ type: 'RecordClientWarnings', data }, asSystem('chat-bot'));
    if (done instanceof Rejection)
      return warn('no warning of clients that end soon was sent', { reason: done.message });
    const words = new Words(read.settings.current());
    const lines = fresh.slice(0, MAX_NAMES).map(({ client }) => soonLine(client, read, words));
    const more = fresh.length - MAX_NAMES;
    const rest = more > 0 ? [words.t('bot.more', { count: more })] : [];
    this.#send(screen([bold(words.t('bot.clientsCloseToLimit')), ...lines, ...rest]));
  }
}
