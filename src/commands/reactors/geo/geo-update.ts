import type { CoreConfig } from '../../../lib/core-config.js';
import { message } from '../../../messages/message.js';
import { render } from '../../../messages/render.js';
import type { Done } from '../../bus.js';
import type { PlainCommand } from '../../counter-commands.js';
import type { GeoFileName, GeoFiles, GeoResult } from '../../ports/releases.js';
import { Rejection, reject } from '../../rejection.js';
import { logFailure } from '../releases/install-failure.js';

interface GeoUpdateParts {
  readonly files: GeoFiles;
  readonly config: () => CoreConfig;
  readonly warn: (message: string, fields?: object) => void;
}

/** Downloads newer geo files, records the results, and requests one restart of the core if it uses a file that changed. */
export class GeoUpdate {
  readonly #parts: GeoUpdateParts;
  #busy = false;

  constructor(parts: GeoUpdateParts) {
    this.#parts = parts;
  }

  /** Resolves to the result for each file, or to a rejection that names the failed ones; the others are updated anyway. */
  async update(
    names: readonly GeoFileName[],
    dispatch: (command: PlainCommand) => Done | Rejection,
  ): Promise<readonly GeoResult[] | Rejection> {
    if (this.#busy) return reject('INSTALL_RUNNING');
    this.#busy = true;
    try {
      const files = await logFailure(this.#parts.files.update(names), this.#parts.warn);
      const changed = files.filter(({ outcome }) => outcome === 'updated');
      const used = changed.some(({ file }) => uses(this.#parts.config(), file));
      const done = dispatch({ type: 'RecordGeoFiles', data: { files, used } });
      if (done instanceof Rejection) return done;
      const failed = files.filter(({ outcome }) => outcome === 'failed');
      if (failed.length === 0) return files;
      const why = failed.flatMap(({ file, reason }) =>
        reason ? [message('geo.fileProblem', { file, why: reason })] : [],
      );
      this.#parts.warn('geo files could not be updated', { why: why.map((text) => render(text, 'en')) });
      return reject('GEO_FAILED', { why });
    } finally {
      this.#busy = false;
    }
  }
}

/** Whether the configuration names a list of this file: `geoip:cn`, `geosite:cn`, `ext:geoip_IR.dat:ir`. */
export function uses({ template, inbounds }: CoreConfig, file: GeoFileName): boolean {
  const text = JSON.stringify([template, [...inbounds.values()].map(({ config }) => config)]);
  return text.includes(`${file}:`) || (/^(geoip|geosite)\.dat$/.test(file) && text.includes(file.replace('.dat', ':')));
}
