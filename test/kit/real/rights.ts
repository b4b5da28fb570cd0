import { examineRights } from '../../../src/cli/examination/rights.js';
import { codeOf, type MessageCode } from '../../../src/messages/message.js';

const rights = examineRights({ pid: null, path: process.env['PATH'] });
const isAllowed = (check: MessageCode): boolean => rights.some(({ ok, what }) => ok && codeOf(what) === check);

/** Whether this process, and so a panel that it starts, can end single connections. */
export const canFilter = isAllowed('cli.checkDisconnect');

/** For `describe.skipIf`: true if single connections cannot be ended, and then prints a notice that the suite is skipped. */
export function withoutRight(suite: string): boolean {
  return !canFilter && skipped(suite, 'It needs CAP_NET_ADMIN and the program ss.');
}

/** The same for single UDP flows. */
export function withoutFlowFilter(suite: string): boolean {
  return !isAllowed('cli.checkDisconnectUdp') && skipped(suite, 'It needs CAP_NET_ADMIN and the program nft.');
}

function skipped(suite: string, why: string): true {
  const line = '!'.repeat(78);
  // oxlint-disable-next-line no-console -- a skipped suite must be seen
  console.warn(`\n${line}\n!! SKIPPED: ${suite}\n!! ${why}\n${line}\n`);
  return true;
}
