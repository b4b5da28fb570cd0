import type { SinkName } from '../../events/proof/proof.js';
import type { SignedHead } from '../../lib/proof/signed-head.js';
import { MessageError } from '../../messages/error.js';

/** Where heads go. All values are from the settings. */
export interface SinkPlace {
  readonly sink: SinkName;
  /** A URL, a file or a folder; empty for the chat bot. */
  readonly target: string;
  /** The token of the other panel; empty for other sinks. */
  readonly token: string;
}

/** Publishes heads outside of the panel. */
export interface HeadSinks {
  /**
   * Publishes heads in their order. A head that is already there may be repeated: a sink that keeps a file does not add it
   * again. Rejects with `SinkError`.
   */
  publish(place: SinkPlace, heads: readonly SignedHead[], publicKey: string, signal: AbortSignal): Promise<void>;
}

/** The place did not accept a head. The text contains no secret. */
export class SinkError extends MessageError {
  override readonly name = 'SinkError';
}
