import type { Refusals } from '../../commands/access/refusals.js';
import type { Rehearsal } from '../../commands/rehearsal.js';
import type { Rejection } from '../../commands/rejection.js';
import type { CommandId } from '../../events/log/log.js';
import type { OpaqueNumbers } from '../../lib/opaque-numbers.js';
import type { KeyedDigest } from '../../lib/secrets/keyed-digest.js';
import type { Moment } from '../../projections/moments.js';
import type { Ledger, LedgerAnswer } from '../../projections/statement/ledger.js';
import type { HistoryLog } from '../../projections/why/history.js';
import type { EventFeed } from '../live/event-feed.js';
import type { LimitedFeed } from '../live/limited-feed.js';
import type { AuditPages } from './audit.js';
import type { LimitedView } from './limited-view.js';

/** The event log. */
export interface HistoryServices {
  /** Records refused requests. */
  readonly refusals: Refusals;
  /** The event feed for other programs. */
  readonly feed: EventFeed;
  /** The event feed for callers who see only a part of the clients. */
  readonly limitedFeed: LimitedFeed;
  /** The log for auditors, newest first. */
  readonly audit: AuditPages;
  /** Past events, read from the log. */
  readonly past: HistoryLog;
  /** Whether a command with this id was carried out, and for the same request; null for a new id. */
  readonly logged: (id: CommandId) => { readonly same: boolean } | null;
  /** The usage of clients by day and the changes of their counters, read while the read models are at the same event. */
  readonly ledger: <T>(question: (ledger: Ledger) => T) => Promise<LedgerAnswer<T>>;
  /** The same at an earlier moment. */
  readonly ledgerAt: (moment: Moment) => HistoryServices['ledger'];
  /** The read models at a position or time that a caller names. `limits`: what the caller sees; by default everything. */
  readonly moment: (at: string, limits?: LimitedView | null) => Promise<Moment | Rejection>;
  /** Its position. */
  readonly place: (at: string) => Promise<number | Rejection>;
  /** Decides commands on a copy of the write state, for dry runs. */
  readonly rehearse: () => Rehearsal;
}

/** What callers get in place of positions and contents that they may not see. Every member of a cluster gives the same. */
export interface ShownServices {
  /** Positions for callers who must not count the events of others. */
  readonly positions: OpaqueNumbers;
  /** Digests of documents, for versions. */
  readonly versions: KeyedDigest;
}
