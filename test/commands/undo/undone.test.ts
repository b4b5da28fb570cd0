import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { panelState } from '../../../src/commands/state.js';
import { effective } from '../../../src/commands/undo/undone.js';
import { loadedState, savedState } from '../../../src/events/log/fold.js';
import { CommandUndone } from '../../../src/events/undo.js';
import { folded, given } from '../../kit/spec.js';

const undone = (from: number, to = from) => CommandUndone({ from, to });
const undo = (from: number, to = from) => ({ type: 'RecordUndo', data: { from, to } }) as const;

describe('RecordUndo', () => {
  it('records which command is undone, once', () => {
    given().when(undo(7, 9)).then(undone(7, 9));
    given(undone(7, 9)).when(undo(7, 9)).thenRejects('ALREADY_UNDONE', { from: 7, by: 1 });
  });

  it('is refused by a state from a snapshot as well', () => {
    const state = folded(panelState, undone(7));
    const saved = deserialize(serialize(savedState(panelState, state))) as never;
    expect(loadedState(panelState, saved).undos).toStrictEqual(new Map([[7, 1]]));
  });
});

describe('the command that an undo takes back', () => {
  it('is the last one that did the same again', () => {
    const undos = new Map([
      [10, 20],
      [20, 30],
    ]);
    expect([10, 20, 30].map((command) => effective(undos, command))).toStrictEqual([30, 20, 30]);
    undos.set(30, 40);
    expect([10, 20, 30, 40].map((command) => effective(undos, command))).toStrictEqual([30, 40, 30, 40]);
  });

  it('follows any number of undos, in which exactly every second command is undone', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5000 }), (length) => {
        const undos = new Map(Array.from({ length }, (_, i) => [i, i + 1]));
        expect(undos.has(effective(undos, 0))).toBe(length % 2 === 1);
      }),
    );
  });
});
