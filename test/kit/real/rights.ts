import { inEnglish } from '../../../src/cli/output.js';
import { examineRights } from '../../../src/cli/rights.js';

const rights = examineRights({ pid: null, path: process.env['PATH'] });
const isAllowed = (right: string): boolean => rights.some((finding) => finding.ok && inEnglish(finding).what === right);

/** Whether this process, and so a panel that it starts, may end single connections. */
export const canFilter = isAllowed('disconnecting');

/** For `describe.skipIf`: true where single connections cannot be ended, and then it says so where nobody can miss it. */
export function withoutRight(suite: string): boolean {
  return !canFilter && skipped(suite, 'It needs CAP_NET_ADMIN and the program ss: nothing here was cut.');
}

/** The same where single UDP flows cannot be blocked. */
export function withoutFlowFilter(suite: string): boolean {
  return (
    !isAllowed('disconnecting over UDP') &&
    skipped(suite, 'It needs CAP_NET_ADMIN and the program nft: no flow was blocked.')
  );
}

function skipped(suite: string, why: string): true {
  const line = '!'.repeat(78);
  // oxlint-disable-next-line no-console -- a skipped suite must be seen
  console.warn(`\n${line}\n!! SKIPPED: ${suite}\n!! ${why}\n${line}\n`);
  return true;
}
