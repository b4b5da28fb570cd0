import type { RecordedEvent } from '../../events/catalog.js';

/**
 * The undo of each command that was ever undone, by the position of the first event of each. For an undo that is its
 * `CommandUndone`. A command has at most one, because an undone undo is what does the command again; see `effective`.
 */
export type Undos = Map<number, number>;

/** Applies one event. Events of other nouns are ignored. */
export function evolveUndos(undos: Undos, { type, data, position }: RecordedEvent): void {
  if (type === 'CommandUndone') undos.set(data.from, position);
}

/**
 * The command whose undo takes back what a command did: itself, or the last undo that did it again. If it is undone now,
 * the last command that did it, which has an undo already.
 */
export function effective(undos: Undos, command: number): number {
  let done = command;
  for (;;) {
    const undo = undos.get(done);
    const again = undo === undefined ? undefined : undos.get(undo);
    if (again === undefined) return done;
    done = again;
  }
}
