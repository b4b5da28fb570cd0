import semver from 'semver';
import { message } from '../../../messages/message.js';
import { render } from '../../../messages/render.js';
import type { Done } from '../../bus.js';
import type { PlainCommand } from '../../counter-commands.js';
import type { PanelReleases } from '../../ports/releases.js';
import { Rejection, reject } from '../../rejection.js';
import { failureOf, logFailure } from './install-failure.js';

interface PanelUpdateParts {
  readonly releases: PanelReleases;
  /** The version that runs. */
  readonly version: string;
  /** Selects the version that runs from the next start of the process. Null: the parent process cannot do that. */
  readonly choose: ((version: string) => void) | null;
  /** Ends the process soon, so that the selected version starts. The core keeps running. */
  readonly switchOver: () => void;
  readonly warn: (message: string, fields?: object) => void;
}

interface PanelUpdateInfo {
  readonly currentVersion: string;
  readonly latestVersion: string;
  readonly updateAvailable: boolean;
}

/** Updates the panel to its newest release: download, verify, record, and restart through the launcher. */
export class PanelUpdate {
  readonly #parts: PanelUpdateParts;
  #busy = false;

  constructor(parts: PanelUpdateParts) {
    this.#parts = parts;
  }

  /** Whether there is a newer release. */
  async info(): Promise<PanelUpdateInfo | Rejection> {
    const { releases, version } = this.#parts;
    try {
      const latestVersion = await releases.latest();
      const plain = semver.valid(latestVersion);
      const updateAvailable = plain === null ? latestVersion !== version : semver.gt(plain, version);
      return { currentVersion: version, latestVersion, updateAvailable };
    } catch (error) {
      return reject('RELEASES_UNREACHABLE', { why: failureOf(error) });
    }
  }

  /** Resolves to the version that is about to start, or to why nothing changed. A concurrent call is rejected. */
  async install(dispatch: (command: PlainCommand) => Done | Rejection): Promise<string | Rejection> {
    const { choose, warn } = this.#parts;
    if (choose === null) return reject('UPDATE_NOT_POSSIBLE', { why: message('releases.startedWithoutLauncher') });
    if (this.#busy) return reject('INSTALL_RUNNING');
    this.#busy = true;
    const done = await logFailure(this.#install(dispatch, choose), warn).finally(() => (this.#busy = false));
    // The process ends soon: no other update may start.
    if (!(done instanceof Rejection)) this.#busy = true;
    return done;
  }

  async #install(
    dispatch: (command: PlainCommand) => Done | Rejection,
    choose: (version: string) => void,
  ): Promise<string | Rejection> {
    const { releases, version: from, switchOver, warn } = this.#parts;
    const info = await this.info();
    if (info instanceof Rejection) return info;
    const tag = info.latestVersion;
    if (!info.updateAvailable) return reject('UPDATE_NOT_NEEDED', { version: from });
    try {
      const { version, sha256 } = await releases.stage(tag);
      const done = dispatch({ type: 'RecordPanelUpdate', data: { version, previousVersion: from, sha256 } });
      if (done instanceof Rejection) return done;
      choose(version);
      switchOver();
      return version;
    } catch (error) {
      const reason = failureOf(error);
      warn('the panel could not be updated', { version: tag, reason: render(reason, 'en') });
      const done = dispatch({ type: 'RecordPanelUpdateFailed', data: { version: tag, reason } });
      return done instanceof Rejection ? done : reject('INSTALL_FAILED', { why: reason });
    }
  }
}
