import { describe, expect, it, onTestFinished } from 'vitest';
import { connectNats } from '../../src/adapters/nats/connection.js';
import { MemberCalls } from '../../src/cluster/leader/member-calls.js';
import { withoutNats } from '../kit/real/nats/server.js';
import { until } from '../kit/wait.js';
import { startCluster } from './members.js';

async function callsOf(url: string, name: string) {
  const connection = await connectNats({ url, name });
  onTestFinished(() => connection.close());
  return { calls: new MemberCalls({ name, connection, warn: () => undefined }), connection };
}

describe.skipIf(withoutNats('the last reading of other machines'))('the last reading of other machines', () => {
  it('is waited for, but not that of a machine without an answer', async () => {
    const { url } = await startCluster();
    const [leader, two, three] = [await callsOf(url, 'one'), await callsOf(url, 'two'), await callsOf(url, 'three')];
    let recorded: (() => void) | null = null;
    two.calls.answerReading(() => new Promise<void>((resolve) => (recorded = resolve)));
    three.calls.answerReading(() => Promise.reject(new Error('the core does not answer')));
    // The server knows the subscriptions.
    await Promise.all([two.connection.flush(), three.connection.flush()]);
    let isDone = false;
    const asked = leader.calls.readings(['two']).then(() => (isDone = true));
    const record = await until('the request', () => recorded ?? undefined);
    expect(isDone).toBe(false);
    record();
    await asked;
    await leader.calls.readings(['three', 'away']);
  });
});
