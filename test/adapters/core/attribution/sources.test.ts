import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Accepted, createSources } from '../../../../src/adapters/core/attribution/access-log.js';
import { disconnectUsers } from '../../../../src/adapters/core/attribution/disconnect.js';
import { followLogs } from '../../../../src/adapters/core/attribution/logs.js';
import { CounterTable } from '../../../../src/events/traffic/counter-table.js';
import { accountName } from '../../../../src/lib/account-name.js';

const accepted = (inbound: string, n: number, client = 1): Accepted => ({
  at: n,
  source: `192.0.2.1:${n}`,
  target: 'tcp:example.com:80',
  inbound,
  client,
});
const isDatagram = ({ inbound }: Accepted): boolean => inbound === 'kcp';
const portsOf = (found: readonly Accepted[]): readonly string[] =>
  found.map(({ source }) => source.split(':')[1] ?? '');

describe('the sources of clients', () => {
  it('are dropped over TCP when their connection is gone, and over UDP, oldest first, when there are too many', () => {
    const sources = createSources(4);
    for (const n of [1, 2, 3]) sources.add(accepted('kcp', n));
    for (const n of [4, 5, 6]) sources.add(accepted('tcp', n));
    // Used again: no longer the oldest.
    sources.add(accepted('kcp', 1));
    expect(sources.isFull).toBe(true);
    sources.keep(new Set(['192.0.2.1:5']), isDatagram);
    expect(portsOf(sources.of('tcp', new Set([1])))).toStrictEqual(['5']);
    expect(portsOf(sources.of('kcp', new Set([1])))).toStrictEqual(['3', '1']);
    expect(sources.isFull).toBe(false);
  });

  it('contain a long UDP stream after more than 100,000 others', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portolan-sources-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const access = join(folder, 'access.log');
    const line = (source: string, tag: string, client: number): string =>
      `2026/11/21 04:50:59.430160 from ${source} accepted tcp:example.com:80 [${tag} >> direct] email: ${accountName({ client, email: 'a' })}\n`;
    const many = Array.from({ length: 100_001 }, (_, n) =>
      line(`198.51.${100 + Math.floor(n / 50_000)}.1:${1 + (n % 50_000)}`, 'tcp', 2),
    );
    writeFileSync(access, [line('192.0.2.1:4711', 'kcp', 1), ...many].join(''));
    const problems: unknown[] = [];
    const files = { access, accessKept: true, error: join(folder, 'error.log'), level: 'none' as const };
    const logs = followLogs(files, join(folder, 'trace.log'), isDatagram, (problem) => void problems.push(problem));
    onTestFinished(() => logs.stop());
    await logs.read();
    expect(problems).toStrictEqual([]);
    expect(portsOf(logs.sources.of('kcp', new Set([1])))).toStrictEqual(['4711']);
  });
});

it('a disconnect does not repeat the block of flows when it knows no source', async () => {
  let readings = 0;
  const left = await disconnectUsers(
    { tag: 'kcp', config: { port: 1, streamSettings: { network: 'kcp' } }, users: new Map(), hotUsers: true },
    [1],
    {
      pid: process.pid,
      logs: {
        sources: createSources(),
        trace: {
          addLine: () => undefined,
          addAccepted: () => undefined,
          join: () => undefined,
          of: () => [],
          all: () => [],
          unknownUdp: () => [],
        },
        read: async () => undefined,
        settle: async () => undefined,
        stop: () => undefined,
      },
      flows: { block: async ({ sources }) => sources.length === 0, clear: async () => undefined },
      counters: async () => {
        readings += 1;
        return CounterTable.of([[1, { up: 0, down: readings }]]);
      },
      refuse: async () => undefined,
    },
  );
  expect(left).toStrictEqual([1]);
  // Two for each of two attempts.
  expect(readings).toBe(4);
});
