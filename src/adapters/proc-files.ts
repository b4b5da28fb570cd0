import { closeSync, openSync, readSync } from 'node:fs';

const PAGE = 4096;
const LARGEST = 256 * 1024;

/** Files of the kernel, read again and again through handles that stay open. What cannot be read is empty. */
export class ProcFiles {
  readonly #folder: string;
  readonly #open = new Map<string, number | null>();
  #buffer = Buffer.allocUnsafe(16 * PAGE);

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What one reading gives: the first lines at least. */
  start(name: string): string {
    return this.#read(name, (handle) => readSync(handle, this.#buffer, 0, this.#buffer.length, 0));
  }

  /** All of it. The kernel hands out a long file page by page. */
  whole(name: string): string {
    return this.#read(name, (handle) => {
      for (let length = 0; ; ) {
        if (length === this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer], length * 2);
        const read = readSync(handle, this.#buffer, length, this.#buffer.length - length, length);
        length += read;
        if (read === 0 || length >= LARGEST) return length;
      }
    });
  }

  close(): void {
    for (const handle of this.#open.values()) if (handle !== null) closeSync(handle);
    this.#open.clear();
  }

  #read(name: string, take: (handle: number) => number): string {
    let handle = this.#open.get(name);
    try {
      if (handle === undefined) {
        handle = openSync(`${this.#folder}/${name}`, 'r');
        this.#open.set(name, handle);
      }
      if (handle === null) return '';
      const length = take(handle); // which may put a larger buffer in the place of this one
      return this.#buffer.toString('latin1', 0, length);
    } catch {
      if (handle !== undefined && handle !== null) closeSync(handle);
      this.#open.set(name, null);
      return '';
    }
  }
}
