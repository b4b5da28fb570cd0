import type { IncomingMessage } from 'node:http';
import type { RecordCommand } from '../../../commands/ports/cluster.js';
import type { Token } from '../../../events/access/token-document.js';
import { TokenId } from '../../../events/ids.js';
import type { Actor } from '../../../events/log/event.js';
import { correlationId } from '../../server/correlation-id.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The last request of a token. */
export interface TokenUse {
  /** In ms since 1970. */
  readonly at: number;
  readonly ip: string | null;
}

interface Use extends TokenUse {
  /** Requests that are not in the log yet. */
  readonly requests: number;
  /** The last attempt to record the use. */
  readonly recordedAt: number;
  readonly recordedIp: string | null;
}

/**
 * When and from where each access token was used. Every request is counted in memory; the log gets one event a day for each
 * token, and one an hour when the address changes, so that an auditor sees both and the log stays small.
 */
export class TokenUses {
  readonly #now: () => number;
  readonly #record: RecordCommand;
  readonly #uses = new Map<number, Use>();
  readonly #counted = new WeakSet<IncomingMessage>();

  constructor(now: () => number, record: RecordCommand) {
    this.#now = now;
    this.#record = record;
  }

  /** Counts a request. One request may be checked several times. */
  add(token: Token, actor: Actor, req: IncomingMessage): void {
    if (this.#counted.has(req)) return;
    this.#counted.add(req);
    const at = this.#now();
    const before = this.#uses.get(token.id) ?? { requests: 0, ...recorded(token) };
    const requests = before.requests + 1;
    const since = at - before.recordedAt;
    const isDue = since >= DAY_MS || (since >= HOUR_MS && before.recordedIp !== actor.ip);
    if (!isDue) {
      this.#uses.set(token.id, { ...before, at, ip: actor.ip, requests });
      return;
    }
    this.#uses.set(token.id, { at, ip: actor.ip, requests: 0, recordedAt: at, recordedIp: actor.ip });
    const data = { token: TokenId.parse(token.id), requests };
    this.#record({ type: 'RecordTokenUse', data }, { actor, correlationId: correlationId() });
  }

  /** The last use of a token, in the log or since; null = none. */
  last(token: Token): TokenUse | null {
    const { at, ip } = this.#uses.get(token.id) ?? { at: 0, ip: null };
    return at === 0 ? token.used : { at, ip };
  }
}

const recorded = ({ used }: Token) => ({ recordedAt: used?.at ?? 0, recordedIp: used?.ip ?? null });
