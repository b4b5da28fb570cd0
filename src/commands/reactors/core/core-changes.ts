import type { RunningCore } from './running-core.js';

/** Inbounds that are removed, or added, before it is seen whether somebody is to be cut. */
const CLEARED_AT_ONCE = 10;
const ADDED_AT_ONCE = 50;

/** Changes of inbounds that wait. They are made in pieces, so that whoever may not connect any more is cut between them. */
export class CoreChanges {
  readonly #running: RunningCore;
  readonly #passOn: () => Promise<void>;
  /** Tags: first what runs of them is removed, then what shall run is added. */
  readonly #toClear = new Set<string>();
  readonly #toAdd = new Set<string>();

  constructor(running: RunningCore, passOn: () => Promise<void>) {
    this.#running = running;
    this.#passOn = passOn;
  }

  note(tags: Iterable<string>): void {
    for (const tag of tags) {
      this.#toClear.add(tag);
      this.#toAdd.add(tag);
    }
  }

  forget(): void {
    this.#toClear.clear();
    this.#toAdd.clear();
  }

  /** Users first, of inbounds that go on; then a piece of the inbounds. Resolves to whether more of them wait. */
  async step(users: ReadonlyMap<string, ReadonlySet<number>>): Promise<boolean> {
    const running = this.#running;
    const staying = [...users].filter(([tag]) => !this.#toClear.has(tag) || running.stays(tag));
    for (const [tag, clients] of staying) await running.removeUsers(tag, clients);
    for (const [tag, clients] of staying) await running.addUsers(tag, clients);
    await running.settleCut();
    // Ports are given back before others take them.
    for (const tag of take(this.#toClear, CLEARED_AT_ONCE)) await running.clear(tag);
    if (this.#toClear.size === 0) {
      await this.#passOn();
      await running.syncInbounds(take(this.#toAdd, ADDED_AT_ONCE));
    }
    return this.#toClear.size + this.#toAdd.size > 0;
  }
}

/** Takes so many out of a set, those first that were put in first. */
function take(from: Set<string>, count: number): readonly string[] {
  const some = [...from].slice(0, count);
  for (const one of some) from.delete(one);
  return some;
}
