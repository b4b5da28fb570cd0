import { get } from 'node:http';
import { ClientUpdated } from '../../src/events/client/client.js';
import { ClientNumber } from '../../src/events/ids.js';
import { TrafficRecorded } from '../../src/events/traffic/traffic.js';
import { startChild } from '../../test/kit/real/children.js';
import { panelPorts } from '../../test/kit/real/panel-process.js';
import { populate, subIdOf } from '../kit/fleet.js';
import { type InsidePanel, newFolder, openInside, removeFolder } from '../kit/inside.js';
import type { Bench } from '../kit/row.js';
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

/** Time from the start of the process to its first subscription, in ms. */
async function started(folder: string): Promise<number> {
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
  const child = startChild(process.execPath, ['dist/main.js', 'serve'], { env });
  while ((await statusOf(ports.sub, `/sub/${subIdOf(7)}`)) !== 200) {
    if (!child.running() || performance.now() - start > 120_000) throw new Error(`no start: ${child.stderr()}`);
    await sleep(5);
  }
  const took = performance.now() - start;
  while ((await statusOf(ports.ops, '/readyz')) !== 200) await sleep(50);
  await child.stop(30_000);
  return took;
}

/** The start of a panel with a long history and the snapshots of its last shutdown. */
export const start: Bench = async ({ quick }) => {
  const folder = newFolder();
  const [clients, size] = quick ? [2500, 50_000] : [25_000, 1_000_000];
  try {
    const inside = await openInside(folder);
    populate(inside, clients);
    fill(inside, clients, size);
    await inside.close();
    const times: number[] = [];
    for (let round = 0; round < (quick ? 3 : 5); round += 1) times.push(await started(folder));
    const note = `${size} events, ${clients} clients; slowest of ${times.length}: ${Math.max(...times).toFixed(0)} ms`;
    return [
      { name: 'start: to the first subscription', measured: median(times), unit: 'ms', target: { most: 2000 }, note },
    ];
  } finally {
    removeFolder(folder);
  }
};
