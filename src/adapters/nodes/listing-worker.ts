import { NodeError } from '../../commands/ports/remote-panel.js';
import { parseListing, type ReadListing } from './listing.js';

export interface ListingTask {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly centre: string;
}

/** The listing, or the kind and the message of the `NodeError`: a class does not survive the way between threads. */
export type ListingResult = ReadListing | { readonly kind: NodeError['kind']; readonly message: string };

export function run({ body, centre }: ListingTask): ListingResult {
  try {
    return parseListing(Buffer.from(body.buffer, body.byteOffset, body.byteLength), centre);
  } catch (error) {
    if (error instanceof NodeError) return { kind: error.kind, message: error.message };
    throw error;
  }
}
