import type { CoreConfig } from '../../../lib/core-config.js';
import { message, type Text, verbatim } from '../../../messages/message.js';
import type { Done } from '../../bus.js';
import { listsUsed, usesFile, withFile } from '../../geo/geo-rules.js';
import { type Core, CoreError } from '../../ports/core.js';
import { MAX_TAGS, type Placed, type StagedGeo } from '../../ports/geo-sources.js';
import { Rejection } from '../../rejection.js';

export interface GeoSwitchParts {
  readonly core: Pick<Core, 'config'>;
  /** The configuration of the core. */
  readonly config: () => CoreConfig;
}

/**
 * Replaces geo files: each is tested with the core first, and all of them are restored when the change cannot be
 * recorded.
 */
export class GeoSwitch {
  readonly #parts: GeoSwitchParts;
  readonly #placed: Placed[] = [];
  /** Whether the core reads one of the files that were placed. */
  used = false;

  constructor(parts: GeoSwitchParts) {
    this.#parts = parts;
  }

  /** Null when the file is in place, or why the core rejects it. Rejects with system errors. */
  async place(staged: StagedGeo, file: string): Promise<Text | null> {
    const config = this.#parts.config();
    const used = usesFile(config, file);
    const problem = used ? await this.#problem(config, staged, file) : null;
    if (problem !== null) return problem;
    this.#placed.push(await staged.place(file));
    this.used ||= used;
    return null;
  }

  /** Records the change, and keeps the new files if that succeeds. */
  async end(record: (used: boolean) => Done | Rejection): Promise<Done | Rejection> {
    let done: Done | Rejection | null = null;
    try {
      done = record(this.used);
      return done;
    } finally {
      const succeeded = done !== null && !(done instanceof Rejection);
      for (const placed of this.#placed.toReversed()) await (succeeded ? placed.commit() : placed.undo());
    }
  }

  /** Why the core rejects the new file; null also when it rejects the configuration without the new file. */
  async #problem(config: CoreConfig, { name, content }: StagedGeo, file: string): Promise<Text | null> {
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
      const lists = [...listsUsed(config, file)].filter((list) => !content.tags.includes(list));
      if (lists.length > 0 && content.tags.length < MAX_TAGS) return message('geo.listsMissing', { lists });
      const { text } = error;
      const why = 'verbatim' in text ? verbatim(text.verbatim.replaceAll(name, file)) : text;
      return message('geo.coreRejects', { why });
    }
  }
}
