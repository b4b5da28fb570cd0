import { describe, expect, it, onTestFinished } from 'vitest';
import { callLeader } from '../../src/adapters/nats/calls.js';
import { connectNats } from '../../src/adapters/nats/connection.js';
import { withoutNats } from '../kit/real/nats/server.js';
import { until } from '../kit/wait.js';
import { startCluster } from './members.js';

describe.skipIf(withoutNats('connections between members'))('a connection to the leader', () => {
  it('closes when the leader falls silent, and does not end the process when its request is over', async () => {
    const { url } = await startCluster();
    const connection = await connectNats({ url, name: 'one' });
    onTestFinished(() => connection.close());
    connection.subscribe('portolan.leader.http', {
      callback: (_, message) => void message.respond(JSON.stringify({ subject: 'portolan.tunnel.silent' })),
    });
    const caller = { remoteAddress: '192.0.2.1', isEncrypted: false, correlationId: 'test', member: 'one' };
    const tunnel = await callLeader(connection, caller);
    await until('it is closed', () => tunnel.destroyed);
    expect(tunnel.errored?.message).toBe('the other member does not answer');
  });
});
