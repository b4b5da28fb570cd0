import type { NodeListing } from '../../commands/ports/remote-panel.js';
import { NodeError } from '../../commands/ports/remote-panel.js';
import type { NodeId } from '../../events/ids.js';
import { message } from '../../messages/message.js';
import { Thread } from '../threads/thread.js';
import { type Marks, parseListing, type ReadListing, withOwnMarks } from './listing.js';
import type { ListingResult, ListingTask } from './listing-worker.js';

/** Smaller bodies are parsed at once: sending them to a thread would cost more. */
const LARGE_BYTES = 256 * 1024;
/** Timeout for parsing, in ms. */
const TIMEOUT_MS = 30_000;

/** Parses listings; large ones in a separate thread, so that ten thousand clients do not block the event loop. */
export class ListingReader {
  readonly #marks: Marks;
  readonly #thread = new Thread<ListingTask, ListingResult>('adapters/nodes/listing-worker', {
    ms: TIMEOUT_MS,
    transfer: ({ body }) => [body.buffer],
  });

  constructor(marks: Marks) {
    this.#marks = marks;
  }

  /** Rejects with `NodeError` when the body is not a listing. */
  async read(body: Buffer, node: NodeId): Promise<NodeListing> {
    const centre = this.#marks.centre();
    const listing = body.length < LARGE_BYTES ? parseListing(body, centre) : await this.#parse(body, centre);
    return withOwnMarks(listing, this.#marks, node);
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
