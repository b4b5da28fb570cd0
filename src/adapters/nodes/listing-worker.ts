import { parentPort } from 'node:worker_threads';
import { NodeError } from '../../commands/ports/nodes.js';
import { parseListing } from './listing.js';

/** What is asked of the worker, and what it answers. */
export interface ListingTask {
  readonly task: number;
  readonly body: Uint8Array;
  readonly centre: string;
}
export type ListingDone = { readonly task: number } & (
  | { readonly listing: ReturnType<typeof parseListing> }
  | { readonly kind: NodeError['kind'] | null; readonly message: string }
);

parentPort?.on('message', ({ task, body, centre }: ListingTask) => {
  parentPort?.postMessage(answerOf(task, body, centre));
});

function answerOf(task: number, body: Uint8Array, centre: string): ListingDone {
  try {
    return { task, listing: parseListing(Buffer.from(body.buffer, body.byteOffset, body.byteLength), centre) };
  } catch (error) {
    const kind = error instanceof NodeError ? error.kind : null;
    return { task, kind, message: error instanceof Error ? error.message : String(error) };
  }
}
