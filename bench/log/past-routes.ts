import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { FULL_ACCESS } from '../../src/events/access/access-of.js';
import type { HttpRequest } from '../../src/http/panel/context.js';
import { JsonPages } from '../../src/http/panel/contract/route.js';
import { clientListHandlers } from '../../src/http/panel/handlers/clients/list.js';
import { inboundFormHandlers } from '../../src/http/panel/handlers/inbounds/form.js';
import { inboundHandlers } from '../../src/http/panel/handlers/inbounds/inbounds.js';
import { KeyedDigest } from '../../src/lib/secrets/keyed-digest.js';
import { erasedIn } from '../../src/projections/erased.js';
import type { Moment, Moments } from '../../src/projections/moments.js';
import { emailOf } from '../kit/fleet.js';
import type { Row } from '../kit/row.js';
import { chance, collect, median } from '../kit/time.js';
import { type Turns, turnsOf } from '../kit/turns.js';

const MOMENTS = 6;
const MEGA = 1e6;

type Handle = (moment: Moment) => unknown;
/** A request of an owner, with the members that these handlers read. */
const request = {
  wants: { counters: false, accept: '', askedAt: undefined },
  access: FULL_ACCESS,
  userId: 1,
  say: String,
} as unknown as HttpRequest;
const versions = new KeyedDigest(randomBytes(32));
const servicesOf = ({ read, at }: Moment) =>
  ({ read, versions, now: () => at, collect: async () => undefined }) as never;
const EVERYTHING = { search: '', sort: '', order: '', offset: 0, limit: 100 } as never;

/** Lists and details as they are read at a moment. */
const ROUTES: Readonly<Record<string, Handle>> = {
  'clients/page': (moment) =>
    clientListHandlers.page({ params: {}, query: EVERYTHING, body: {} } as never, servicesOf(moment), request),
  'clients/:email/details': (moment) =>
    clientListHandlers.details(
      { params: { email: emailOf(7) }, query: {}, body: {} } as never,
      servicesOf(moment),
      request,
    ),
  'inbounds/list': (moment) =>
    inboundHandlers.list({ params: {}, query: {}, body: {} } as never, servicesOf(moment), request as never),
  'inbounds/overview': (moment) =>
    inboundFormHandlers.overview({ params: {}, query: {}, body: {} } as never, servicesOf(moment), request as never),
};

/** The answer as the server sends it. */
async function answered(handle: Handle, moment: Moment): Promise<void> {
  erasedIn(moment.read);
  const outcome = await handle(moment);
  if (!(outcome instanceof JsonPages)) JSON.stringify(outcome);
}

/** Routes at random moments, cold and in memory, eight moments at once, and the memory of the moments that are kept. */
export async function routesIn(moments: Moments, head: number, note: string): Promise<readonly Row[]> {
  const random = chance(11);
  const anywhere = (): number => 1 + Math.floor(random() * head);
  const rows: Row[] = [];
  const row = (name: string, measured: number, most: number, unit = 'ms', more = note): void =>
    void rows.push({ name: `past: ${name}`, measured, unit, target: { most }, note: more });
  collect();
  const before = process.memoryUsage();
  for (const [path, handle] of Object.entries(ROUTES)) {
    const [cold, warm]: [Turns[], Turns[]] = [[], []];
    for (let n = 0; n < MOMENTS; n += 1) {
      const position = anywhere();
      cold.push(await turnsOf(async () => answered(handle, await moments.after(position))));
      warm.push(await turnsOf(async () => answered(handle, await moments.after(position))));
    }
    const all = cold.map((one) => one.all);
    row(`${path}, cold, slowest`, Math.max(...all), 300, 'ms', `${note}; median ${median(all).toFixed(0)}`);
    row(`${path}, in memory, slowest`, Math.max(...warm.map((one) => one.all)), 300);
    row(`${path}, longest turn`, Math.max(...[...cold, ...warm].map(({ longest }) => longest)), 20);
  }
  const start = performance.now();
  const eight = await turnsOf(() => Promise.all(Array.from({ length: 8 }, () => moments.after(anywhere()))));
  row(
    'eight cold moments at once, all',
    eight.all,
    8 * 300,
    'ms',
    `${note}; ${Math.round(performance.now() - start)} ms`,
  );
  row('eight cold moments at once, longest turn', eight.longest, 20);
  collect();
  const after = process.memoryUsage();
  const grown = (part: 'heapUsed' | 'rss'): number => (after[part] - before[part]) / MEGA;
  row('memory of the kept moments', grown('heapUsed'), 400, 'MB', `${note}; resident ${grown('rss').toFixed(0)} MB`);
  return rows;
}
