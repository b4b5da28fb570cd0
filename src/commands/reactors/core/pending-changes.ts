import type { RunningCore } from './running-core.js';

/** Inbounds that are removed, or added, in one step; between steps, clients are disconnected. */
const MAX_REMOVED = 10;
const MAX_ADDED = 50;

/** Pending changes of inbounds. They are applied in steps, so that clients that may no longer connect are disconnected in between. */
export class PendingChanges {
  readonly #running: RunningCore;
  readonly #passOn: () => Promise<void>;
  /** Tags: first the running inbounds are removed, then the desired ones are added. */
  readonly #toRemove = new Set<string>();
  readonly #toAdd = new Set<string>();

  constructor(running: RunningCore, passOn: () => Promise<void>) {
    this.#running = running;
    this.#passOn = passOn;
  }

  note(tags: Iterable<string>): void {
    for (const tag of tags) {
      this.#toRemove.add(tag);
      this.#toAdd.add(tag);
    }
  }

  forget(): void {
    this.#toRemove.clear();
    this.#toAdd.clear();
  }

  /** Applies the changed users of inbounds that stay, then one step of the inbounds. Resolves to whether more are pending. */
  async step(users: ReadonlyMap<string, ReadonlySet<number>>): Promise<boolean> {
    const running = this.#running;
    const staying = [...users].filter(([tag]) => !this.#toRemove.has(tag) || running.isCurrent(tag));
    for (const [tag, clients] of staying) await running.removeUsers(tag, clients);
    for (const [tag, clients] of staying) await running.addUsers(tag, clients);
    await running.settleDisconnected();
    // Ports are freed before other inbounds use them.
    for (const tag of removeOldest(this.#toRemove, MAX_REMOVED)) await running.removeStale(tag);
    if (this.#toRemove.size === 0) {
      await this.#passOn();
      await running.syncInbounds(removeOldest(this.#toAdd, MAX_ADDED));
    }
    return this.#toRemove.size + this.#toAdd.size > 0;
  }
}

/** Removes and returns the oldest `count` members of a set. */
function removeOldest(from: Set<string>, count: number): readonly string[] {
  const oldest = [...from].slice(0, count);
  for (const one of oldest) from.delete(one);
  return oldest;
}
