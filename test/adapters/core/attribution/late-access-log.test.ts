import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSources } from '../../../../src/adapters/core/attribution/access-log.js';
import { disconnectUsers } from '../../../../src/adapters/core/attribution/disconnect.js';
import type { CoreLogs } from '../../../../src/adapters/core/attribution/logs.js';
import { createTrace } from '../../../../src/adapters/core/attribution/trace.js';
import { CounterTable } from '../../../../src/events/traffic/counter-table.js';
import { withoutRight } from '../../../kit/real/rights.js';
import { inboundOf } from '../kit.js';

const SUITE = 'an access log that is late';

describe.skipIf(withoutRight(SUITE))(SUITE, () => {
  it('does not keep an idle connection open that is logged only after the client was disconnected', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const accepted = once(server, 'connection');
    const client = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    client.on('error', () => undefined);
    const [socket] = (await Promise.all([accepted, once(client, 'connect')]))[0] as [Socket];
    socket.on('error', () => undefined);
    const source = `127.0.0.2:${client.localPort}`;

    const sources = createSources();
    let reads = 0;
    const read = async (): Promise<void> => {
      reads += 1;
      if (reads === 2) sources.add({ at: 1, source, target: 'tcp:a.example:443', inbound: 'in', client: 1 });
    };
    const logs: CoreLogs = { sources, trace: createTrace(), read, settle: read, stop: () => undefined };
    const flows = { block: async () => false, clear: async () => undefined };
    const inbound = inboundOf({ tag: 'in', listen: '127.0.0.1', port, protocol: 'vless' });
    const closed = new Promise((resolve) => client.once('close', resolve));
    const options = {
      pid: process.pid,
      logs,
      flows,
      counters: async () => new CounterTable(),
      refuse: async () => undefined,
    };
    expect(await disconnectUsers(inbound, [1], options)).toStrictEqual([]);
    await closed;
    expect(client.destroyed).toBe(true);
  });
});
