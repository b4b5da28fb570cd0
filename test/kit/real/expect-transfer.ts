import { expect } from 'vitest';
import { until } from '../wait.js';
import type { TransferResult } from './socks.js';

type Expected = Partial<Pick<TransferResult, 'bytes' | 'sent' | 'text'>>;

/** Fails with the error of the transfer unless a whole reply with status 200 and these values arrived. */
export function expectComplete(result: TransferResult, expected: Expected = {}): void {
  expect(result, result.error ?? 'another reply').toMatchObject({ status: 200, ended: 'complete', ...expected });
}

/** Fails unless the transfer ended before any reply, as it does where no connection is possible. */
export function expectNoReply({ status, text }: TransferResult): void {
  expect(status, `a reply: ${text.slice(0, 200)}`).toBe(0);
}

/** Repeats a transfer until it is complete, and returns its result. A failure names the error of the last attempt. */
export function untilComplete(what: string, transfer: () => Promise<TransferResult>): Promise<TransferResult> {
  return until(what, async () => {
    const result = await transfer();
    expectComplete(result);
    return result;
  });
}

/** Repeats a transfer until it ends before any reply. */
export function untilNoReply(what: string, transfer: () => Promise<TransferResult>): Promise<void> {
  return until(what, async () => {
    expectNoReply(await transfer());
    return true;
  }).then(() => undefined);
}
