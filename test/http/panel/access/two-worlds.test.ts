import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import type { Route } from '../../../../src/http/panel/contract/route.js';
import { draft, inboundDraft, one, two, userId, uuid } from '../../../kit/builders.js';
import { eventually } from '../../../kit/wait.js';
import { startPanel } from '../../kit/panel.js';

const SELLER = { username: 'seller', password: 'long enough' };
const OWN = ['mine-a', 'mine-b'];
/** Numbers of own clients and their credentials are the same in both worlds; foreign ones begin here. */
const FOREIGN = 40;
const routes = Object.values(tables).flatMap((table): Route[] => Object.values(table));

/** One change by the owner of the panel to clients that the reseller must not know of. */
type Deed =
  | { readonly kind: 'add'; readonly email: string; readonly inbound: 1 | 2 }
  | { readonly kind: 'traffic' | 'disable' | 'delete'; readonly which: number };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    email: fc.stringMatching(/^foreign-[a-z]{4,8}$/),
    inbound: fc.constantFrom(1 as const, 2 as const),
  }),
  fc.record({ kind: fc.constantFrom('traffic', 'disable', 'delete'), which: fc.nat(5) }),
);

/** One client of another admin stays to the end. */
const history = fc
  .array(deed, { minLength: 3, maxLength: 8 })
  .map((deeds): readonly Deed[] => [...deeds, { kind: 'add', email: 'foreign-last', inbound: 1 }]);

const wire = (email: string, n: number) => {
  const { credential, identity } = draft(email, n);
  return { id: credential.id, email, subId: identity.subId, comment: `note of ${email}`, enable: true };
};

/** A panel with inbounds 1 and 2, of which the reseller has the first with two clients; the owner then does the deeds. */
async function world(deeds: readonly Deed[]) {
  const panel = await startPanel();
  panel.given({ type: 'AddInbound', data: { ...inboundDraft(), owner: userId(1) } });
  const other = inboundDraft({ spec: { remark: 'hidden inbound', port: 8443, tag: 'in-2' } });
  panel.given({ type: 'AddInbound', data: { ...other, owner: userId(1) } });
  const access = { role: 'reseller', inbounds: [one], quotas: { ...NO_QUOTAS, clients: 3 } };
  const data = { username: SELLER.username, passwordHash: `plain ${SELLER.password}`, access };
  panel.given({ type: 'CreateUser', data });
  const owner = await panel.browser().login();
  const seller = await panel.browser().login(SELLER);
  const add = (browser: typeof owner, inbound: number, client: object) =>
    browser.post('/panel/api/inbounds/addClient', { id: inbound, settings: JSON.stringify({ clients: [client] }) });
  for (const [index, email] of OWN.entries()) await add(seller, one, wire(email, index + 1));
  const pushed = await pushesTo(panel.port, seller.cookie);
  const foreign: string[] = [];
  for (const [index, done] of deeds.entries()) {
    if (done.kind === 'add') {
      if (foreign.includes(done.email)) continue;
      await add(owner, done.inbound === 1 ? one : two, wire(done.email, FOREIGN + index));
      foreign.push(done.email);
      continue;
    }
    const email = foreign[done.which % Math.max(1, foreign.length)];
    if (email === undefined) continue;
    const change = { action: done.kind, search: email };
    if (done.kind === 'traffic') panel.given({ type: 'AdjustClientTraffic', data: { email, up: 1000, down: 2000 } });
    else await owner.post('/panel/api/clients/change', change);
    if (done.kind === 'delete') foreign.splice(foreign.indexOf(email), 1);
  }
  // A push about an own client ends what is compared.
  panel.given({
    type: 'RecordTraffic',
    data: { run: 'r', clients: [[1, 5, 7]], inbounds: [[one, 5, 7]], outbounds: [] },
  });
  await eventually(() => expect(pushed.at(-1)).toContain('"traffic"'));
  return { owner, seller, pushed };
}

/** The messages of the WebSocket of a session, as they arrive. */
async function pushesTo(port: number, cookie: string): Promise<readonly string[]> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { cookie } });
  const pushed: string[] = [];
  socket.on('message', (data) => pushed.push(comparable(String(data))));
  await once(socket, 'open');
  onTestFinished(() => socket.terminate());
  return pushed;
}

/** Routes that end the session, or whose answer does not depend on the log: keys, codes, the clock, and the machine. */
const LEFT_OUT =
  /logout|sessions|updateUser|TwoFactor|passkey|recovery|factor|getNew|freePort|csrf|server\/(status|history|cpu)|setting\/account|\/events$/i;

/** Times and secrets of the session differ between two runs of the same history. */
const comparable = (text: string): string =>
  text.replaceAll(/\b1[6-9]\d{8}(\d{3})?\b/g, 'TIME').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

type World = Awaited<ReturnType<typeof world>>;

/** Everything that the reseller gets: the answer of each route, and of changes of own clients. */
async function learned({ seller }: World): Promise<readonly string[]> {
  const lines: string[] = [];
  const ask = async (method: string, path: string, body?: object): Promise<void> => {
    const { status, text, headers } = await seller.send(method, path, body);
    lines.push(`${method} ${path} ${status} ${headers.get('etag') ?? '-'} ${comparable(text)}`);
  };
  for (const { auth, method, path } of routes) {
    if (auth === 'none' || LEFT_OUT.test(path)) continue;
    for (const value of path.includes(':') ? ['1', '2', 'mine-a', uuid(FOREIGN), 'foreign-x'] : ['']) {
      const filled = path.replaceAll(/:\w+/g, value);
      if (method === 'POST' && /del|change|restore|reset|clear/i.test(filled)) continue;
      await ask(method, filled, method === 'POST' ? {} : undefined);
    }
  }
  const change = '/panel/api/clients/change';
  for (const body of [
    ...['foreign', 'note of foreign', uuid(FOREIGN).slice(0, 12)].map((search) => ({ action: 'disable', search })),
    { action: 'disable', clients: [1, 3, 4, 5] },
    { action: 'addTraffic', bytes: 1000, preview: true },
    { action: 'enable' },
    { action: 'reset', inbound: 1 },
  ])
    await ask('POST', change, body);
  for (const path of ['page?search=foreign', 'page?sort=used&order=desc', 'export', 'top', 'inbounds'])
    await ask('GET', `/panel/api/clients/${path}`);
  await ask('POST', '/panel/api/inbounds/1/delClientByEmail/foreign-x');
  await ask('POST', '/panel/api/inbounds/resetAllClientTraffics/1');
  return lines;
}

describe('two panels that differ only in clients of others', () => {
  it('are the same to a reseller: replies, refusals, counts, tags and pushes', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (deeds) => {
        const [empty, busy] = [await world([]), await world(deeds)];
        expect(busy.pushed).toStrictEqual(empty.pushed);
        const [some, other] = [await learned(busy), await learned(empty)];
        expect(some).toStrictEqual(other);
        expect(some.filter((line) => line.includes('mine-a') && line.includes(' 200 ')).length).toBeGreaterThan(5);
        expect((await busy.owner.get('/panel/api/inbounds/list')).text).toContain('foreign');
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });
});
