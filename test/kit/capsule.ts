import { readFileSync } from 'node:fs';
import { NEVER } from 'rxjs';
import { panelState } from '../../src/commands/state.js';
import { readCapsule } from '../../src/events/log/capsule-file.js';
import { advance, begin } from '../../src/events/log/replay.js';
import { LogReadModels } from '../../src/projections/read-models.js';

/** The read models and the write state after the events of a capsule file, to start a test of a reported bug from. */
export function fromCapsule(file: string) {
  const { header, events } = readCapsule(readFileSync(file, 'utf8'));
  const after = (position: number, limit: number) =>
    events.filter((event) => event.position > position).slice(0, limit);
  const state = begin(panelState);
  advance(state, events);
  return { header, events, state: state.state, read: new LogReadModels({ read: after, appended$: NEVER }) };
}
