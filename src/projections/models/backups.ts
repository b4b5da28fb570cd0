import { type Fold, foldOf } from '../../events/log/fold.js';
import type { Text } from '../../messages/message.js';

/** The state of scheduled backups. */
export interface Backups {
  /** The last attempt; `why` is its error, or null. */
  last: { readonly at: number; readonly why: Text | null } | null;
  lastGood: {
    readonly at: number;
    readonly name: string;
    readonly position: number;
    readonly bytes: number;
    readonly sealed: boolean;
  } | null;
}

/** Scheduled backups: the result of the last attempt, and the last verified backup. */
export const backups: Fold<Backups> = foldOf<Backups>({
  name: 'backups',
  version: 2,
  initial: () => ({ last: null, lastGood: null }),
  on: {
    BackupVerified(state, { data: { createdAt: madeAt, name, position, bytes, encrypted: sealed } }) {
      state.last = { at: madeAt, why: null };
      state.lastGood = { at: madeAt, name, position, bytes, sealed };
    },
    BackupFailed(state, { data, meta }) {
      state.last = { at: meta.at, why: data.reason };
    },
    StateImported(state) {
      // They were backups of another machine or of an earlier state.
      state.last = null;
      state.lastGood = null;
    },
  },
});
