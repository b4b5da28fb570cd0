import type { DataDirectory } from '../../adapters/data-directory/data-directory.js';
import { readFollowerStates } from '../../adapters/data-directory/follower-states.js';
import { message } from '../../messages/message.js';
import { type Finding, good, note } from './finding.js';

/** The processes that answer subscriptions beside a running panel; no finding if they have not started. */
export function examineProcesses({ run }: Pick<DataDirectory, 'run'>): readonly Finding[] {
  const states = readFollowerStates(run);
  if (states.length === 0) return [];
  const found = { ready: states.filter(({ state }) => state === 'ready').length, total: states.length };
  const what = message('cli.checkSubscriptionProcesses');
  return found.ready === found.total
    ? [good(what, message('cli.processesAnswer', found))]
    : [note(what, message('cli.processesMissing', found))];
}
