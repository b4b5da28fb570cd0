import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tables } from '../../../../src/http/panel/contract/index.js';
import type { Route } from '../../../../src/http/panel/contract/route.js';
import { permissionName } from '../../../../src/lib/permissions.js';
import { one, two, uuid } from '../../../kit/builders.js';
import type { Answer, Browser } from '../../kit/panel.js';
import { startWithReseller } from '../../kit/reseller.js';

const OWN = ['mine-a', 'mine-b'];
const LAST = /"id":\d+(,"inboundId":1,"enable":true,"email":"mine-c")/;
const reads = Object.values(tables)
  .flatMap((table): Route[] => Object.values(table))
  .filter(({ method, auth, path }) => method === 'GET' && auth !== 'none' && path !== '/panel/api/events')
  // New keys and the number of the session are random.
  .filter(({ path }) => path !== '/panel/setting/sessions')
  .filter(({ permission }) => permission === null || permissionName(permission) !== 'keys:create');

/** A client of the owner, and what happened to it. */
interface Foreign {
  readonly name: string;
  readonly inbound: typeof one | typeof two;
  readonly enable: boolean;
  readonly totalGB: number;
  readonly used: number;
  readonly isDeleted: boolean;
}
const foreign: fc.Arbitrary<Foreign> = fc.record({
  name: fc.stringMatching(/^[a-z]{6,10}$/).map((name) => `foreign-${name}`),
  inbound: fc.constantFrom(one, two),
  enable: fc.boolean(),
  totalGB: fc.constantFrom(0, 500, 5000),
  used: fc.nat({ max: 4000 }),
  isDeleted: fc.boolean(),
});
const history = fc.uniqueArray(foreign, { selector: ({ name }) => name, maxLength: 4 });

/** What an answer tells, without times, and without the number of the client added last: clients are numbered panel-wide. */
const told = ({ status, headers, text }: Answer) => ({
  status,
  etag: headers.get('etag'),
  text: text
    .replaceAll(/\b1\d{12}\b/g, '<time>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(LAST, '"id":<n>$1'),
});

/** Everything that the reseller is answered after a history of the owner: by each route that reads, then by own changes. */
async function answersAfter(clients: readonly Foreign[]) {
  const { panel, owner, seller, wire, add } = await startWithReseller([], OWN);
  for (const [index, { name, inbound, enable, totalGB, used, isDeleted }] of clients.entries()) {
    await add(owner, inbound, [wire(name, 50 + index, { enable, totalGB })]);
    panel.given({ type: 'AdjustClientTraffic', data: { email: name, up: used, down: used } });
    if (isDeleted) await owner.post(`/panel/api/inbounds/${inbound}/delClientByEmail/${name}`);
  }
  const answers = await readAll(seller);
  const change = { action: 'addTraffic', bytes: 1000 };
  answers.push(['change', told(await seller.post('/panel/api/clients/change', change))]);
  answers.push(['add', told(await add(seller, one, [wire('mine-c', 90)]))]);
  return [...answers, ...(await readAll(seller))];
}

async function readAll(seller: Browser) {
  const answers: (readonly [string, ReturnType<typeof told>])[] = [];
  for (const route of reads)
    for (const value of ['1', OWN[0], `sub-${OWN[1]}`, uuid(1)]) {
      const path = route.path.replaceAll(/:\w+/g, String(value));
      answers.push([path, told(await seller.get(path))]);
      if (path === route.path) break;
    }
  return answers;
}

it('tells a reseller the same, whatever clients the owner has and whatever they did', async () => {
  const nothing = await answersAfter([]);
  expect(nothing.length).toBeGreaterThan(100);
  await fc.assert(
    fc.asyncProperty(history, async (clients) => {
      const answers = await answersAfter(clients);
      for (const [index, [path, answer]] of answers.entries())
        expect({ path, ...answer }).toStrictEqual({ path, ...nothing[index]?.[1] });
    }),
    { numRuns: 3 },
  );
});
