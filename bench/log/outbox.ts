import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientText } from '../kit/clients.js';
import { idOf } from '../kit/fleet.js';
import { type LivePanel, livePanel } from '../kit/live.js';
import { goodLoad, request } from '../kit/load.js';
import { longestBlock, watching } from '../kit/loop-watch.js';
import type { Bench } from '../kit/row.js';
import { median, sleep } from '../kit/time.js';

const API = '/panel/api';
/** Clients of the inbound on the node are numbered from here. */
const FIRST = 500_000;

interface Sync {
  readonly state: string;
  readonly lag: number;
  readonly error: string;
  readonly pending: readonly { readonly reason: string }[];
}

async function ask<T>({ process: { url }, headers }: LivePanel, path: string, body?: object): Promise<T> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(url + API + path, { headers, ...init });
  const { success, msg, obj } = (await answer.json()) as { success: boolean; msg: string; obj: T };
  if (!success) throw new Error(`${path}: ${msg}`);
  return obj;
}

/** Resolves to the ms until the node has everything. */
async function drained(centre: LivePanel, within: number): Promise<number> {
  const start = performance.now();
  for (;;) {
    const { state, lag, error, pending } = await ask<Sync>(centre, '/nodes/1/sync');
    if (state === 'synced' && lag === 0) return performance.now() - start;
    if (performance.now() - start > within) throw new Error(`${state}, ${lag} behind, ${error} ${pending[0]?.reason}`);
    await sleep(10);
  }
}

/**
 * Changes that are pending for a node (a second panel on this machine), and the time until it has applied them after it is
 * started.
 */
export const outbox: Bench = async ({ quick }) => {
  const count = quick ? 1000 : 10_000;
  const file = join(tmpdir(), `portolan-bench-outbox-${process.pid}.json`);
  const node = await livePanel(0);
  let centre: LivePanel | undefined;
  try {
    centre = await livePanel(100, watching(file));
    const { pid, ports } = centre.process;
    const place = { scheme: 'http', host: '127.0.0.1', port: node.process.ports.panel, allowPrivateAddress: true };
    await ask(centre, '/nodes/add', { ...place, name: 'local', apiToken: node.headers['authorization']?.slice(7) });
    const clients = Array.from({ length: count }, (_, i) => clientText(FIRST + i));
    const settings = `{"clients":[${clients.join(',')}],"decryption":"none"}`;
    const inbound = {
      protocol: 'vless',
      listen: '127.0.0.1',
      port: node.port + 1,
      tag: 'far',
      enable: true,
      nodeId: 1,
    };
    const { id } = await ask<{ id: number }>(centre, '/inbounds/add', { ...inbound, settings, streamSettings: '' });
    await drained(centre, 120_000);

    const { headers } = centre;
    const edits = (capBytes: number): string[] =>
      Array.from({ length: count }, (_, i) =>
        request('POST', `${API}/inbounds/updateClient/${idOf(FIRST + i)}`, headers, {
          id,
          settings: `{"clients":[${clientText(FIRST + i, { totalGB: capBytes })}]}`,
        }),
      );
    const plan = { port: ports.panel, connections: 4, expect: '"success":true' };
    // Once while the node is online, so that the snapshot after so many events is not written during the measurement.
    await goodLoad({ ...plan, requests: edits(5e15) });
    await drained(centre, 120_000);
    await ask(centre, '/nodes/setEnable/1', { enable: false });
    await goodLoad({ ...plan, requests: edits(4e15) });
    await sleep(2000);
    await longestBlock(pid, file);
    await ask(centre, '/nodes/setEnable/1', { enable: true });
    const took = await drained(centre, 300_000);
    const blocked = await longestBlock(pid, file);

    const single: number[] = [];
    for (let n = 0; n < (quick ? 3 : 10); n += 1) {
      const body = { id, settings: `{"clients":[${clientText(FIRST + n, { totalGB: 3e15 })}]}` };
      await ask(centre, `/inbounds/updateClient/${idOf(FIRST + n)}`, body);
      single.push(await drained(centre, 60_000));
    }
    return [
      {
        name: `outbox: ${count} changes drained to a local node`,
        measured: took / 1000,
        unit: 's',
        target: { most: 60 },
        note: 'from the moment when the node is switched on',
      },
      { name: 'outbox: longest block of the loop meanwhile', measured: blocked, unit: 'ms', target: { most: 50 } },
      {
        name: `outbox: one change among ${count} clients`,
        measured: median(single) / 1000,
        unit: 's',
        target: { most: 10 },
        note: 'until the node lists it',
      },
    ];
  } finally {
    await Promise.all([centre?.stop(), node.stop()]);
  }
};
