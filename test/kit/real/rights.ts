import { examineRights } from '../../../src/cli/rights.js';

/** Whether this process, and so a panel that it starts, may end single connections. */
export const mayCut = examineRights({ pid: null, path: process.env['PATH'] }).some(
  ({ what, ok }) => what === 'cutting' && ok,
);

/** For `describe.skipIf`: true where single connections cannot be ended, and then it says so where nobody can miss it. */
export function withoutRight(suite: string): boolean {
  if (mayCut) return false;
  const line = '!'.repeat(78);
  // oxlint-disable-next-line no-console -- a skipped suite must be seen
  console.warn(
    `\n${line}\n!! SKIPPED: ${suite}\n!! It needs CAP_NET_ADMIN and the program ss: nothing here was cut.\n${line}\n`,
  );
  return true;
}
