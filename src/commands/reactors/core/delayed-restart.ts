import type { CoreSyncParts } from './parts.js';

/** How long clients are collected before the one restart that closes their connections, in ms. */
const DELAY_MS = 2_000;

/** One restart for all clients whose connections could not be closed one by one, if the settings allow it. */
export class DelayedRestart {
  readonly #parts: Pick<CoreSyncParts, 'restartToDisconnect' | 'warn'>;
  readonly #restart: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: Pick<CoreSyncParts, 'restartToDisconnect' | 'warn'>, restart: () => void) {
    this.#parts = parts;
    this.#restart = restart;
  }

  /** The connections of this many clients could not be closed. */
  request(clients: number): void {
    if (this.#timer) return;
    const { restartToDisconnect, warn } = this.#parts;
    if (!restartToDisconnect()) {
      warn('connections could not be closed one by one and stay open, as set in the settings', { clients });
      return;
    }
    warn('connections could not be closed one by one, the core is restarted', { clients });
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (restartToDisconnect()) this.#restart();
    }, DELAY_MS).unref();
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
