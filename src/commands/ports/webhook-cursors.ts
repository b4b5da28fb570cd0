/** How far a webhook has delivered. */
export interface WebhookCursor {
  readonly webhook: number;
  /** Position of the event that set where its deliveries begin. */
  readonly epoch: number;
  /** All events up to here were delivered, skipped or recorded as dead letters. */
  readonly position: number;
  /** Chain hash at the position, hex; empty at position 0. In another history it differs. */
  readonly hash: string;
}

/** Cursors of webhooks that survive a restart and a kill of the process. They are no events: each delivery moves one. */
export interface WebhookCursors {
  get(webhook: number): WebhookCursor | null;
  /** A cursor that cannot be saved is reported, and its deliveries are repeated after a restart. */
  put(cursor: WebhookCursor): void;
  remove(webhook: number): void;
}
