import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** Without work, in ms. */
const IDLE_MS = 60_000;
/** A comparison of the highest cost that is accepted takes a few seconds, in ms. */
const PATIENCE_MS = 30_000;

/** Written out, so that it runs from the sources and from the build alike. */
const CODE = `
const { parentPort, workerData } = require('node:worker_threads');
const { compareSync } = require(workerData);
parentPort.on('message', ({ password, hash }) => parentPort.postMessage(compareSync(password, hash)));
`;
const LIBRARY = createRequire(import.meta.url).resolve('bcryptjs');

/** Compares with hashes of bcrypt, one at a time, in a thread of its own: the library computes in JavaScript. */
export class BcryptThread {
  #worker: Worker | null = null;
  #asked: { readonly answer: (right: boolean) => void; readonly fail: (error: Error) => void } | null = null;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects when the thread ends or takes longer than 30 s. */
  compare(password: string, hash: string): Promise<boolean> {
    const comparing = this.#last.then(() => this.#ask(password, hash));
    this.#last = comparing.catch(() => undefined);
    return comparing;
  }

  async #ask(password: string, hash: string): Promise<boolean> {
    clearTimeout(this.#timer);
    const worker = (this.#worker ??= this.#start());
    this.#timer = setTimeout(() => this.#end('the comparison of a password took too long'), PATIENCE_MS);
    try {
      return await new Promise<boolean>((answer, fail) => {
        this.#asked = { answer, fail };
        worker.postMessage({ password, hash });
      });
    } finally {
      this.#asked = null;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#end('idle'), IDLE_MS).unref();
    }
  }

  #start(): Worker {
    const worker = new Worker(CODE, { eval: true, workerData: LIBRARY });
    worker.unref();
    worker.on('message', (right: boolean) => this.#asked?.answer(right));
    worker.on('error', ({ message }) => this.#worker === worker && this.#end(message));
    worker.on('exit', () => this.#worker === worker && this.#end('the thread that compares passwords ended'));
    return worker;
  }

  #end(why: string): void {
    const worker = this.#worker;
    this.#worker = null;
    this.#asked?.fail(new Error(why));
    void worker?.terminate();
  }
}
