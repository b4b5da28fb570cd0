import { CommandUndone } from '../../events/undo.js';
import type { Command, Decider } from '../command.js';
import { reject } from '../rejection.js';

/** Records that the command from `from` to `to` is undone. It is the first command of the `Sequence` that undoes it. */
export type UndoCommand = Command<'RecordUndo', { readonly from: number; readonly to: number }>;

export const undoing: Decider<UndoCommand> = {
  RecordUndo({ from, to }, { undos }) {
    const by = undos.get(from);
    return by === undefined ? [CommandUndone({ from, to })] : reject('ALREADY_UNDONE', { from, by });
  },
};
