import { statSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import { cli, type PanelProcess, startPanel } from '../../test/kit/real/panel-process.js';
import { populate } from '../kit/fleet.js';
import { newFolder, openInside, removeFolder } from '../kit/inside.js';
import { goodLoad, request } from '../kit/load.js';
import type { Bench, Row } from '../kit/row.js';
import { fill } from './start.js';

const TOKEN = 'bench-token-of-the-panel-api';
const headers = { authorization: `Bearer ${TOKEN}` };
const STEP = 50_000;
const MB = 1024 * 1024;

/** A data directory with a long history. Resolves to the number of its events. */
async function history(folder: string, clients: number, until: (bytes: number, events: number) => boolean) {
  const inside = await openInside(folder);
  inside.run({ type: 'IssueApiToken', data: { token: TOKEN, replace: false } });
  populate(inside, clients);
  const { database } = dataDirectory(folder);
  const { log } = inside.panel;
  while (!until(statSync(database).size, log.head().position)) fill(inside, clients, log.head().position + STEP);
  await inside.close();
  return log.head().position;
}

/** The p99 of status requests, in ms, while `meanwhile` runs repeatedly. */
async function p99(panel: PanelProcess, seconds: number, meanwhile: () => Promise<void>): Promise<number> {
  let over = false;
  const busy = (async () => {
    while (!over) await meanwhile();
  })();
  const plan = { port: panel.ports.panel, connections: 16, pauseMs: 20, seconds };
  const load = await goodLoad({ ...plan, requests: [request('GET', '/panel/api/server/status', headers)] });
  over = true;
  await busy;
  return load.p99;
}

/** Latency of status requests while a large log is copied. */
async function besideStatus(quick: boolean): Promise<Row> {
  const folder = newFolder();
  try {
    await history(folder, quick ? 500 : 5000, (bytes) => bytes >= (quick ? 20 : 200) * MB);
    const panel = await startPanel({ dataDir: folder, env: { PORTOLAN_LOG_LEVEL: 'warn' }, timeoutMs: 120_000 });
    try {
      const seconds = quick ? 3 : 10;
      const idle = () => new Promise<void>((resolve) => setTimeout(resolve, 50));
      let copies = 0;
      let bytes = 0;
      const getDb = async (): Promise<void> => {
        const answer = await fetch(`${panel.url}/panel/api/server/getDb`, { headers });
        bytes = 0;
        for await (const chunk of answer.body ?? []) bytes += (chunk as Uint8Array).length;
        copies += 1;
      };
      await p99(panel, 1, idle);
      const alone = await p99(panel, seconds, idle);
      const beside = await p99(panel, seconds, getDb);
      return {
        name: 'backup: what getDb adds to the p99 of status',
        measured: Math.max(0, beside - alone),
        unit: 'ms',
        target: { most: 50 },
        note: `${copies} copies of ${(bytes / MB).toFixed(0)} MB; p99 ${alone.toFixed(1)} ms without, ${beside.toFixed(1)} ms with`,
      };
    } finally {
      await panel.stop();
    }
  } finally {
    removeFolder(folder);
  }
}

/** A backup by the command line, and its restore into an empty directory with all checks. */
async function restored(quick: boolean): Promise<readonly Row[]> {
  const [folder, elsewhere] = [newFolder(), newFolder()];
  try {
    const wanted = quick ? 100_000 : 1_000_000;
    const events = await history(folder, quick ? 500 : 10_000, (_, position) => position >= wanted);
    const file = join(elsewhere, 'backup.db');
    const timed = async (args: string[], dataDir: string): Promise<number> => {
      const start = performance.now();
      const { code, stderr } = await cli(args, dataDir, { timeoutMs: 600_000 });
      if (code !== 0) throw new Error(`portolan ${args[0]}: ${stderr}`);
      return (performance.now() - start) / 1000;
    };
    const copied = await timed(['backup', '--out', file], folder);
    const taken = await timed(['restore', file], join(elsewhere, 'data'));
    const note = `${events} events, ${(statSync(dataDirectory(join(elsewhere, 'data')).database).size / MB).toFixed(0)} MB`;
    return [
      { name: 'backup: portolan backup', measured: copied, unit: 's', target: { most: 30 }, note },
      { name: 'backup: restore with full verification', measured: taken, unit: 's', target: { most: 60 }, note },
    ];
  } finally {
    removeFolder(folder);
    removeFolder(elsewhere);
  }
}

/** Copies a large log while a panel serves other requests, and restores it into a panel. */
export const backup: Bench = async ({ quick }) => [await besideStatus(quick), ...(await restored(quick))];
