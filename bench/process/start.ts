import { get } from 'node:http';
import { ClientUpdated } from '../../src/events/client/client.js';
import { ClientNumber } from '../../src/events/ids.js';
import { TrafficRecorded } from '../../src/events/traffic/traffic.js';
import { startChild } from '../../test/kit/real/children.js';
import { panelPorts } from '../../test/kit/real/panel-process.js';
import { populate, subIdOf } from '../kit/fleet.js';
import { type InsidePanel, newFolder, openInside, removeFolder } from '../kit/inside.js';
import type { Bench, Row } from '../kit/row.js';
import { chance, median, sleep } from '../kit/time.js';

const BATCH = 2000;

/** Fills the log up to `size` events, polls and edits, in large appends, because only reading is measured. */
export function fill({ panel }: InsidePanel, clients: number, size: number): void {
  const random = chance(5);
  const any = (): number => 1 + Math.floor(random() * clients);
  const actor = { kind: 'system', id: 'bench', name: 'bench', ip: null } as const;
  while (panel.log.head().position < size) {
    const events = Array.from({ length: Math.min(BATCH, size - panel.log.head().position) }, (_, i) => {
      if (i % 10 === 0)
        return ClientUpdated({ client: ClientNumber.parse(any()), changes: { capBytes: 1e12 + any() } });
      const moved = Array.from({ length: 8 }, (): [number, number, number] => [any(), any(), any()]);
      return TrafficRecorded({ run: 'bench', clients: moved, inbounds: [[1, 9, 9]], outbounds: [['direct', 9, 9]] });
    });
    panel.log.append(events, { at: Date.now(), actor, correlationId: 'bench' });
  }
}

/** The status of an answer, or 0 while the server does not listen. */
function statusOf(port: number, path: string): Promise<number> {
  return new Promise((resolve) => {
    const asked = get({ port, host: '127.0.0.1', path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.once('error', () => resolve(0));
  });
}

/** The times from the start of a process to its first answer and to its first subscription, in ms. */
async function started(folder: string, command: readonly string[]): Promise<{ answer: number; subscription: number }> {
  const ports = await panelPorts();
  const env = {
    ...process.env,
    PORTOLAN_DATA_DIR: folder,
    PORTOLAN_HOST: '127.0.0.1',
    PORTOLAN_PORT: String(ports.panel),
    PORTOLAN_SUB_HOST: '127.0.0.1',
    PORTOLAN_SUB_PORT: String(ports.sub),
    PORTOLAN_OPS_PORT: String(ports.ops),
    PORTOLAN_ADMIN_PASSWORD: 'correct-horse-7-staple',
    PORTOLAN_LOG_LEVEL: 'warn',
  };
  const start = performance.now();
  const child = startChild(process.execPath, [...command], { env });
  const answering = async (port: number, path: string): Promise<number> => {
    while ((await statusOf(port, path)) !== 200) {
      if (!child.running() || performance.now() - start > 120_000) throw new Error(`no start: ${child.stderr()}`);
      await sleep(5);
    }
    return performance.now() - start;
  };
  const [answer, subscription] = await Promise.all([
    answering(ports.panel, '/'),
    answering(ports.sub, `/sub/${subIdOf(7)}`),
  ]);
  while ((await statusOf(ports.ops, '/readyz')) !== 200) await sleep(50);
  await child.stop(30_000);
  return { answer, subscription };
}

/** Several starts of a panel whose last shutdown has written snapshots. `events`: as many as its log has. */
async function starts(clients: number, events: number, rounds: number, command: readonly string[]) {
  const folder = newFolder();
  try {
    const inside = await openInside(folder);
    populate(inside, clients);
    fill(inside, clients, events);
    await inside.close();
    const times: Awaited<ReturnType<typeof started>>[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await started(folder, command));
    return times;
  } finally {
    removeFolder(folder);
  }
}

/** The start of a panel: as a new user does it, and with a long history. */
export const start: Bench = async ({ quick }) => {
  const rounds = quick ? 3 : 5;
  const fleet = quick ? 1000 : 10_000;
  // What `npm start` runs; npm itself takes another 0.2 s.
  const fresh = await starts(fleet, 0, rounds, ['scripts/start.mjs']);
  const [clients, size] = quick ? [2500, 50_000] : [25_000, 1_000_000];
  const long = await starts(clients, size, rounds, ['dist/main.js', 'serve']);
  const row = (name: string, times: readonly number[], most: number, of: string): Row => {
    const note = `${of}; slowest of ${times.length}: ${Math.max(...times).toFixed(0)} ms`;
    return { name, measured: median(times), unit: 'ms', target: { most }, note };
  };
  const few = `npm start, ${fleet} clients`;
  const many = `${size} events, ${clients} clients`;
  return [
    row(
      'start: to the first answer',
      fresh.map(({ answer }) => answer),
      800,
      few,
    ),
    row(
      'start: to the first subscription',
      fresh.map(({ subscription }) => subscription),
      1000,
      few,
    ),
    row(
      'start: with a long log, to the first subscription',
      long.map(({ subscription }) => subscription),
      2000,
      many,
    ),
  ];
};
