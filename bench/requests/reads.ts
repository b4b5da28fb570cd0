import { clientBody } from '../kit/add-clients.js';
import { emailOf, idOf } from '../kit/fleet.js';
import { livePanel } from '../kit/live.js';
import { goodLoad, request } from '../kit/load.js';
import type { Bench } from '../kit/row.js';

const API = '/panel/api/inbounds';

/** Requests to the panel API with 10,000 clients, sequentially on one connection. */
export const reads: Bench = async ({ quick }) => {
  const panel = await livePanel(quick ? 1000 : 10_000);
  const { headers } = panel;
  const ask = (requests: readonly string[]) =>
    goodLoad({ port: panel.process.ports.panel, connections: 1, requests, expect: '"success":true' });
  try {
    const count = quick ? 200 : 2000;
    const emails = Array.from({ length: count }, (_, i) => emailOf(1 + ((i * 7919) % panel.clients)));
    const traffics = emails.map((email) => request('GET', `${API}/getClientTraffics/${email}`, headers));
    await ask(traffics.slice(0, count / 2));
    const one = await ask(traffics);
    const lists = Array.from({ length: quick ? 5 : 15 }, () => request('GET', `${API}/list`, headers));
    const cold = await ask(lists.slice(0, 1));
    const list = await ask(lists);
    const get = await ask(lists.map(() => request('GET', `${API}/get/1`, headers)));
    // A list after an edit: the most expensive request of a page that follows changes.
    const edited: number[] = [];
    for (const [i, listing] of lists.entries()) {
      await ask([
        request('POST', `${API}/updateClient/${idOf(5 + i)}`, headers, clientBody(5 + i, { totalGB: 1e12 + i })),
      ]);
      edited.push((await ask([listing])).median);
    }
    const among = `with ${panel.clients} clients`;
    const after = edited.sort((a, b) => a - b)[Math.floor(edited.length / 2)] ?? 0;
    return [
      { name: 'read: getClientTraffics', measured: one.median, unit: 'ms', target: { most: 1 }, note: among },
      {
        name: 'read: list of all inbounds',
        measured: list.median,
        unit: 'ms',
        target: { most: 60 },
        note: `${among}; the first ${cold.median.toFixed(0)} ms`,
      },
      { name: 'read: list after an edit', measured: after, unit: 'ms', target: { most: 10 } },
      { name: 'read: get of one inbound', measured: get.median, unit: 'ms', target: { most: 60 } },
    ];
  } finally {
    await panel.stop();
  }
};
