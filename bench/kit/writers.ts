import { addRequests } from './add-clients.js';
import { emailOf } from './fleet.js';
import type { LivePanel } from './live.js';
import { goodLoad } from './load.js';
import type { Row } from './row.js';
import { sleep } from './time.js';

const WRITERS = 20;

interface Listed {
  readonly obj: { readonly clientStats: readonly { readonly email: string }[] };
}

/** Twenty callers that add clients without pauses; afterwards all of the clients must exist. */
export async function writersAtOnce(panel: LivePanel, first: number, count: number): Promise<readonly Row[]> {
  const plan = { port: panel.process.ports.panel, connections: WRITERS, expect: '"success":true' };
  const warm = Math.floor(count / 4);
  await goodLoad({ ...plan, requests: addRequests(panel, first, warm) });
  await sleep(1000);
  const result = await goodLoad({ ...plan, requests: addRequests(panel, first + warm, count) });
  const start = performance.now();
  const wanted = Array.from({ length: warm + count }, (_, i) => emailOf(first + i));
  const url = `${panel.process.url}/panel/api/inbounds/get/1`;
  const { obj } = (await (await fetch(url, { headers: panel.headers })).json()) as Listed;
  const listed = new Set(obj.clientStats.map(({ email }) => email));
  const lost = wanted.filter((email) => !listed.has(email)).length;
  let missing = wanted;
  while (missing.length > 0 && performance.now() - start < 30_000) {
    const running = new Set(await panel.running());
    missing = wanted.filter((email) => !running.has(email));
    if (missing.length > 0) await sleep(50);
  }
  const after = ((performance.now() - start) / 1000).toFixed(1);
  return [
    {
      name: `edit: ${WRITERS} writers at once`,
      measured: result.perSecond,
      unit: '/s',
      target: { least: 2000 },
      note: `${count} clients added, p99 ${result.p99.toFixed(0)} ms; all in the core ${after} s after the last`,
    },
    { name: 'edit: acknowledged and lost', measured: lost + missing.length, unit: '', target: { most: 0 } },
  ];
}
