import type { CoreConfig } from '../../../lib/core-config.js';
import type { Done } from '../../bus.js';
import { listsUsed, usesFile, withFile } from '../../geo/geo-rules.js';
import { type Core, CoreError } from '../../ports/core.js';
import { MOST_TAGS, type Placed, type StagedGeo } from '../../ports/geo-sources.js';
import { Rejection } from '../../rejection.js';

export interface GeoSwitchParts {
  readonly core: Pick<Core, 'config'>;
  /** What the core shall run. */
  readonly config: () => CoreConfig;
}

/**
 * Files on their way into their places: each is tried by the core first, and all of them go back when the log does not
 * take what became of them.
 */
export class GeoSwitch {
  readonly #parts: GeoSwitchParts;
  readonly #placed: Placed[] = [];
  /** Whether the core reads one of the files that were placed. */
  used = false;

  constructor(parts: GeoSwitchParts) {
    this.#parts = parts;
  }

  /** Null when the file is in its place, or why the core would not go on with it. Rejects with what the system says. */
  async place(staged: StagedGeo, file: string): Promise<string | null> {
    const config = this.#parts.config();
    const used = usesFile(config, file);
    const problem = used ? await this.#problem(config, staged, file) : null;
    if (problem !== null) return problem;
    this.#placed.push(await staged.place(file));
    this.used ||= used;
    return null;
  }

  /** Records what became of the files, and keeps them if that is taken. */
  async end(record: (used: boolean) => Done | Rejection): Promise<Done | Rejection> {
    let done: Done | Rejection | null = null;
    try {
      done = record(this.used);
      return done;
    } finally {
      const kept = done !== null && !(done instanceof Rejection);
      for (const placed of this.#placed.toReversed()) await (kept ? placed.keep() : placed.undo());
    }
  }

  /** A configuration that is wrong without the new file as well is not the fault of the file. */
  async #problem(config: CoreConfig, { name, content }: StagedGeo, file: string): Promise<string | null> {
    const { core } = this.#parts;
    try {
      await core.config.test(withFile(config, file, name));
      return null;
    } catch (error) {
      if (!(error instanceof CoreError)) throw error;
      if (error.kind !== 'invalid') return null;
      const before = await core.config.test(config).then(
        () => true,
        () => false,
      );
      if (!before) return null;
      const lacking = [...listsUsed(config, file)].filter((list) => !content.tags.includes(list)).join(', ');
      if (lacking !== '' && content.tags.length < MOST_TAGS)
        return `rules name lists that are not in it any more: ${lacking}`;
      const why = error.message.replaceAll(name, file);
      return `the core would not go on with it: ${why}`;
    }
  }
}
