import { execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FlowFilter, flowFilter, flowTable } from '../../../../src/adapters/core/attribution/flows.js';
import { withoutFlowFilter } from '../../../kit/real/rights.js';
import { eventually } from '../../../kit/wait.js';
import { place } from '../kit.js';

const SUITE = 'the filter of UDP flows';

async function socket(address = '127.0.0.1'): Promise<Socket> {
  const made = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  made.on('error', () => undefined);
  await new Promise<void>((resolve) => made.bind(0, address, resolve));
  return made;
}

const nft = (...args: string[]): string => execFileSync('nft', args, { encoding: 'utf8' });

describe.skipIf(withoutFlowFilter(SUITE))(SUITE, () => {
  let folder: string;
  let filter: FlowFilter;
  const sockets: Socket[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portolan-flows-'));
    filter = flowFilter(folder);
  });
  afterEach(async () => {
    await filter.clear();
    for (const one of sockets.splice(0)) one.close();
    rmSync(folder, { recursive: true });
  });
  const isThere = (): boolean => nft('list', 'tables').includes(flowTable(folder));

  /** The data between clients and a server, by the index of the client. */
  async function echo(address: string, count: number) {
    const server = await socket(address);
    const clients = await Promise.all(Array.from({ length: count }, () => socket(address)));
    sockets.push(server, ...clients);
    const heard = Array.from({ length: count }, () => 0);
    const refused: string[] = [];
    server.on('message', (message, from) =>
      server.send(message, from.port, from.address, (error) => {
        if (error) refused.push(error.message);
      }),
    );
    for (const [n, client] of clients.entries()) client.on('message', () => (heard[n] = (heard[n] ?? 0) + 1));
    return {
      port: server.address().port,
      sourceOf: (n: number) => {
        const port = clients[n]?.address().port ?? 0;
        return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
      },
      send: () => {
        for (const client of clients) client.send('x', server.address().port, address, () => undefined);
      },
      /** From the server, unasked. */
      push: (n: number) =>
        new Promise<string>((resolve) =>
          server.send('y', clients[n]?.address().port ?? 0, address, (error) => resolve(error?.message ?? '')),
        ),
      heard,
    };
  }

  it.each(['127.0.0.1', '::1'])(
    'blocks one flow of %s both ways, and no other of the same address',
    async (address) => {
      const { port, sourceOf, send, push, heard } = await echo(address, 3);
      expect(await filter.block({ sources: [sourceOf(1)], ports: [[port, port]] }, 60)).toBe(true);
      for (let n = 0; n < 5; n += 1) send();
      await eventually(() => expect([heard[0], heard[2]]).toStrictEqual([5, 5]));
      expect(heard[1]).toBe(0);
      expect(await push(1)).toMatch(/EPERM/);
      expect(await push(0)).toBe('');
    },
  );

  it.each(['127.0.0.1', '::1'])('answers the app at %s that the port is unreachable', async (address) => {
    const server = await socket(address);
    const client = await socket(address);
    sockets.push(server, client);
    await new Promise<void>((resolve) => client.connect(server.address().port, address, resolve));
    const source = address.includes(':') ? `[${address}]` : address;
    const flow = {
      sources: [`${source}:${client.address().port}`],
      ports: [[server.address().port, server.address().port]] as const,
    };
    expect(await filter.block(flow, 60)).toBe(true);
    const errors: string[] = [];
    client.on('error', (error) => errors.push(error.message));
    await eventually(() => {
      client.send('x');
      expect(errors.join()).toContain('ECONNREFUSED');
    });
  });

  it('accepts port ranges, and a flow that is already blocked', async () => {
    const { port, sourceOf, send, heard } = await echo('127.0.0.1', 2);
    const flows = { sources: [sourceOf(0)], ports: [[port - 1, port + 1]] as const };
    expect(await filter.block(flows, 60)).toBe(true);
    expect(await filter.block(flows, 60)).toBe(true);
    send();
    await eventually(() => expect(heard[1]).toBe(1));
    expect(heard[0]).toBe(0);
  });

  it('leaves nothing behind: flows pass again after their timeout, and the table is removed', async () => {
    const { port, sourceOf, send, heard } = await echo('127.0.0.1', 1);
    expect(await filter.block({ sources: [sourceOf(0)], ports: [[port, port]] }, 1)).toBe(true);
    expect(isThere()).toBe(true);
    await eventually(() => {
      send();
      expect(heard[0]).toBeGreaterThan(0);
    });
    await eventually(() => expect(isThere()).toBe(false));
    await filter.clear();
    // A panel that was killed: its next process clears.
    await filter.block({ sources: [sourceOf(0)], ports: [[port, port]] }, 60);
    await flowFilter(folder).clear();
    expect(isThere()).toBe(false);
  });

  it('is restored after an administrator flushed the rules of the machine', async () => {
    const { port, sourceOf, send, heard } = await echo('127.0.0.1', 2);
    await filter.block({ sources: [sourceOf(1)], ports: [[port, port]] }, 60);
    nft('delete', 'table', ...flowTable(folder).split(' '));
    expect(await filter.block({ sources: [sourceOf(0)], ports: [[port, port]] }, 60)).toBe(true);
    send();
    await eventually(() => expect(heard[1]).toBe(1));
    expect(heard[0]).toBe(0);
  });

  it('is removed when the next panel process takes over', async () => {
    const owner = join(folder, 'run');
    await flowFilter(owner).block({ sources: ['127.0.0.1:1'], ports: [[2, 2]] }, 60);
    const isThere = (): boolean => nft('list', 'tables').includes(flowTable(owner));
    expect(isThere()).toBe(true);
    expect(await place(folder).core.process.adopt()).toBeNull();
    expect(isThere()).toBe(false);
  });

  it('reports that the system does not allow it', async () => {
    const elsewhere = flowFilter(folder, join(folder, 'no-such-program'));
    expect(await elsewhere.block({ sources: ['127.0.0.1:1'], ports: [[2, 2]] }, 60)).toBe(false);
  });
});
