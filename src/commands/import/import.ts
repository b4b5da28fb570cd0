import type { Command, Decider } from '../command.js';
import { reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { type ImportRequest, planImport } from './plan.js';

/** Imports the whole state of another panel into an empty log. */
export type ImportCommand = Command<'ImportPanel', ImportRequest>;

export const panelImport: Decider<ImportCommand> = {
  ImportPanel: (data, state, { now }) => (isEmpty(state) ? planImport(data, now).events : reject('IMPORT_NOT_EMPTY')),
};

function isEmpty({ users, inbounds, clients, nodes, geoSources, lastInbound, lastClient }: PanelState): boolean {
  const hasEntries = [users, inbounds, clients, nodes, geoSources].some(({ size }) => size > 0);
  return !hasEntries && lastInbound + lastClient === 0;
}
