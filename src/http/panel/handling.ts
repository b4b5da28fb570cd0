import type { Rejection } from '../../commands/rejection.js';
import type { Moment } from '../../projections/moments.js';
import type { DocumentOf } from './contract/documents.js';
import type { LimitedView } from './limited-view.js';

/** What a caller has written about the versions that it expects; undefined = nothing. */
export interface Wanted {
  /** `If-Match` (RFC 9110): tags separated by commas, or `*`. */
  readonly header: string | undefined;
  /** `expectedVersion` of the query and of the body: one tag each. */
  readonly members: readonly unknown[];
  /** Whether the request changes documents like that of a stream. */
  readonly changes: (stream: string) => boolean;
  /** Where the request names what it changes. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** How a request is carried out. */
export interface Handling {
  /** What a caller gets who sees only a part of the clients; null = everything. */
  readonly limits: LimitedView | null;
  /** The same for the event feed, which may be limited to fewer clients. */
  readonly feedLimits: LimitedView | null;
  /** Only a preview is wanted: commands are decided and not appended, so nothing outside the log may act either. */
  readonly isDryRun: boolean;
  /** Runs a handler as a dry run. Returns its refusal, or the preview of its commands: of the first one, unless `several`. */
  readonly rehearse: (run: () => Promise<unknown>, several: boolean) => Promise<unknown>;
  /** The outcome of `run`, or of the earlier request with the same `Idempotency-Key`. */
  readonly once: (run: () => Promise<unknown>) => Promise<unknown>;
  /** Runs a handler if the documents have the versions that the caller expects, by `If-Match` or `expectedVersion`. */
  readonly expecting: (wanted: Omit<Wanted, 'header'>, run: () => Promise<unknown>) => Promise<unknown>;
  /** The read models at a moment of the past. */
  readonly moment: (at: string) => Promise<Moment | Rejection>;
  /** Sets `ETag` to the version of a document. */
  readonly tag: (document: DocumentOf, params: Readonly<Record<string, unknown>>) => void;
}
