import { NodeError } from '../../commands/ports/remote-panel.js';
import type { Text } from '../../messages/message.js';
import { parseListing, type ReadListing } from './listing.js';

export interface ListingTask {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly centre: string;
}

/** The listing, or the kind and the text of the `NodeError`: an instance of a class cannot be sent between threads. */
export type ListingResult = ReadListing | { readonly kind: NodeError['kind']; readonly text: Text };

export function run({ body, centre }: ListingTask): ListingResult {
  try {
    return parseListing(Buffer.from(body.buffer, body.byteOffset, body.byteLength), centre);
  } catch (error) {
    if (error instanceof NodeError) return { kind: error.kind, text: error.text };
    throw error;
  }
}
