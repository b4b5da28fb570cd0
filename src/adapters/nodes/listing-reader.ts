import type { NodeListing } from '../../commands/ports/remote-panel.js';
import { NodeError } from '../../commands/ports/remote-panel.js';
import type { NodeId } from '../../events/ids.js';
import { message } from '../../messages/message.js';
import { Thread } from '../threads/thread.js';
import { type Marks, parseListing, type ReadListing, recognised } from './listing.js';
import type { ListingResult, ListingTask } from './listing-worker.js';

/** Smaller bodies are read at once: handing them over would cost more. */
const LARGE_BYTES = 256 * 1024;
/** An answer that takes longer to read than this is nothing that a panel says, in ms. */
const LONGEST_MS = 30_000;

/** Reads listings; large ones in a thread of their own, so that ten thousand clients hold up nobody. */
export class ListingReader {
  readonly #marks: Marks;
  readonly #thread = new Thread<ListingTask, ListingResult>(new URL('./listing-worker', import.meta.url), {
    ms: LONGEST_MS,
    transfer: ({ body }) => [body.buffer],
  });

  constructor(marks: Marks) {
    this.#marks = marks;
  }

  /** Rejects with `NodeError` for what is no listing. */
  async read(body: Buffer, node: NodeId): Promise<NodeListing> {
    const centre = this.#marks.centre();
    const listing = body.length < LARGE_BYTES ? parseListing(body, centre) : await this.#parse(body, centre);
    return recognised(listing, this.#marks, node);
  }

  async #parse(body: Buffer, centre: string): Promise<ReadListing> {
    const result = await this.#thread.run({ body: new Uint8Array(body), centre }).catch((cause: unknown) => {
      const late = cause instanceof Error && cause.name === 'TimeoutError';
      throw late
        ? new NodeError('timeout', message('node.replyTooSlow'), { cause })
        : new NodeError('too-large', message('node.replyUnreadable'), { cause });
    });
    if ('kind' in result) throw new NodeError(result.kind, result.text);
    return result;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
