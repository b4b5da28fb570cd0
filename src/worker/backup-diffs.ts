import type { Backups } from '../commands/ports/backups.js';
import { Rejection, reject } from '../commands/rejection.js';
import type { DiffFilter, DiffReport, Part } from '../projections/diff/diff.js';
import { jobFailure } from '../store/full-disk.js';
import type { BackupWork } from './backup-jobs.js';
import type { DiffSide } from './log-diff.js';
import { Queue } from './queue.js';

/** How long a comparison waits for those before it, in ms. */
const QUEUE_TIMEOUT_MS = 30_000;

interface Parts {
  /** The data directory. */
  readonly root: string;
  readonly work: Pick<BackupWork, 'diff'>;
  readonly backups: Pick<Backups, 'pathOf'>;
  /** The passphrase in the settings; empty = none. */
  readonly passphrase: () => string;
}

/** A side of a comparison: a backup of the list, a file, or a position of the log. */
type ComparedSide =
  | { readonly kept: string }
  | { readonly path: string; readonly passphrase: string }
  | { readonly position: number };

interface Compared {
  readonly from: ComparedSide;
  readonly to: ComparedSide;
  readonly filter: DiffFilter;
  readonly part: Part;
}

/** Compares backups with the log, one at a time, in a process beside the panel that ends when the caller disconnects. */
export class BackupDiffs {
  readonly #parts: Parts;
  readonly #queue = new Queue(QUEUE_TIMEOUT_MS);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async compare({ from, to, filter, part }: Compared, signal: AbortSignal): Promise<DiffReport | Rejection> {
    const { root, work } = this.#parts;
    const before = this.#sideOf(from);
    if (before instanceof Rejection) return before;
    const after = this.#sideOf(to);
    if (after instanceof Rejection) return after;
    try {
      const compare = () => work.diff({ root, from: before, to: after, filter, part }, signal);
      const found = await this.#queue.run(compare, () => new TooLate());
      return 'report' in found ? found.report : reject('MOMENTS_REVERSED', found.reversed);
    } catch (error) {
      if (error instanceof TooLate) return reject('BACKUP_BUSY');
      if (signal.aborted) throw error;
      return reject('BACKUP_NOT_COMPARED', { why: jobFailure(error) });
    }
  }

  #sideOf(side: ComparedSide): DiffSide | Rejection {
    const { backups, passphrase } = this.#parts;
    if ('position' in side) return side;
    if ('path' in side) return { file: side.path, passphrase: side.passphrase || passphrase() };
    const file = backups.pathOf(side.kept);
    return file === null ? reject('BACKUP_NOT_FOUND', { name: side.kept }) : { file, passphrase: passphrase() };
  }
}

class TooLate extends Error {}
