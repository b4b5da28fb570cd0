import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { NodeError } from '../../commands/ports/nodes.js';
import type { NodeListing } from '../../commands/ports/remote-panel.js';
import type { NodeId } from '../../events/ids.js';
import { type Marks, parseListing, type ReadListing, recognised } from './listing.js';
import type { ListingDone, ListingTask } from './listing-worker.js';

/** Smaller bodies are read at once: handing them over would cost more. */
const LARGE_BYTES = 256 * 1024;
/** An answer that takes longer to read than this is nothing that a panel says, in ms. */
const PATIENCE_MS = 30_000;
/** Without work, in ms. */
const IDLE_MS = 60_000;
const EXTENSION = extname(import.meta.url);

interface Waiting {
  readonly resolve: (listing: ReadListing) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** Reads listings; large ones in a thread of their own, so that ten thousand clients hold up nobody. */
export class ListingReader {
  readonly #marks: Marks;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #tasks = 0;

  constructor(marks: Marks) {
    this.#marks = marks;
  }

  /** Rejects with `NodeError` for what is no listing. */
  async read(body: Buffer, node: NodeId): Promise<NodeListing> {
    const centre = this.#marks.centre();
    return recognised(
      body.length < LARGE_BYTES ? parseListing(body, centre) : await this.#parse(body, centre),
      this.#marks,
      node,
    );
  }

  async #parse(body: Buffer, centre: string): Promise<ReadListing> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    this.#tasks += 1;
    const task: ListingTask = { task: this.#tasks, body: new Uint8Array(body), centre };
    const reading = new Promise<ReadListing>((resolve, reject) => {
      const timer = setTimeout(
        () => this.#fail(new NodeError('timeout', 'The answer takes too long to read')),
        PATIENCE_MS,
      );
      this.#waiting.set(task.task, { resolve, reject, timer });
    });
    worker.postMessage(task, [task.body.buffer as ArrayBuffer]);
    try {
      return await reading;
    } finally {
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: 768 };
    const file = new URL(`./listing-worker${EXTENSION}`, import.meta.url);
    const worker =
      EXTENSION === '.ts'
        ? new Worker(fromSource(file.href), { eval: true, resourceLimits })
        : new Worker(file, { resourceLimits });
    worker.unref();
    worker.on('message', (done: ListingDone) => this.#done(done));
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#fail(new Error('the reading of a listing ended'));
    });
    return worker;
  }

  #done(done: ListingDone): void {
    const waiting = this.#take(done.task);
    if ('listing' in done) waiting?.resolve(done.listing);
    else waiting?.reject(done.kind === null ? new Error(done.message) : new NodeError(done.kind, done.message));
  }

  #fail(error: unknown): void {
    const worker = this.#worker;
    this.#worker = null;
    void worker?.terminate();
    const why =
      error instanceof NodeError ? error : new NodeError('too-large', 'The answer could not be read', { cause: error });
    for (const task of [...this.#waiting.keys()]) this.#take(task)?.reject(why);
  }

  #take(task: number): Waiting | undefined {
    const waiting = this.#waiting.get(task);
    this.#waiting.delete(task);
    clearTimeout(waiting?.timer);
    return waiting;
  }
}

/** Tests run the sources as they are: the thread needs what reads them. */
function fromSource(url: string): string {
  const hooks = new URL('../../../scripts/typescript.mjs', import.meta.url).href;
  return `import(${JSON.stringify(hooks)}).then(() => import(${JSON.stringify(url)}))`;
}
