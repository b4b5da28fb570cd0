import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import { answersAt } from '../../../../src/http/panel/contract/moments.js';
import type { Route } from '../../../../src/http/panel/contract/route.js';
import { KeyedDigest } from '../../../../src/lib/secrets/keyed-digest.js';
import { draft, inboundDraft, one, two, userId, uuid } from '../../../kit/builders.js';
import { eventually } from '../../../kit/wait.js';
import { startPanel } from '../../kit/panel.js';

/** Credentials of foreign clients begin here. */
const FOREIGN = 10_000;
const routes = Object.values(tables).flatMap((table): Route[] => Object.values(table));

/** One change by the owner of the panel to clients that the reseller must not know of. */
type Deed =
  | { readonly kind: 'add'; readonly email: string; readonly inbound: 1 | 2 }
  | { readonly kind: 'traffic' | 'disable' | 'delete' | 'handOver'; readonly which: number }
  | { readonly kind: 'switch' | 'rename' | 'counters' | 'another' | 'bulk' };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    email: fc.stringMatching(/^foreign-[a-z]{4,8}$/),
    inbound: fc.constantFrom(1 as const, 2 as const),
  }),
  fc.record({ kind: fc.constantFrom('traffic', 'disable', 'delete', 'handOver'), which: fc.nat(5) }),
  fc.record({ kind: fc.constantFrom('switch', 'rename', 'counters', 'another', 'bulk') }),
);

/** One client of another admin stays to the end. */
const history = fc
  .array(deed, { minLength: 3, maxLength: 8 })
  .map((deeds): readonly Deed[] => [...deeds, { kind: 'add', email: 'foreign-last', inbound: 1 }]);

const wire = (email: string, n: number) => {
  const { credential, identity } = draft(email, n);
  return { id: credential.id, email, subId: identity.subId, comment: `note of ${email}`, enable: true };
};

/** One of two panels, which differ only in clients of others. */
async function world() {
  // Versions depend on the key of the panel, and on nothing else that differs between the worlds.
  const panel = await startPanel({ parts: { versions: new KeyedDigest(Buffer.alloc(32)) } });
  panel.given({ type: 'AddInbound', data: { ...inboundDraft(), owner: userId(1) } });
  const other = inboundDraft({ spec: { remark: 'hidden inbound', port: 8443, tag: 'in-2' } });
  panel.given({ type: 'AddInbound', data: { ...other, owner: userId(1) } });
  return { panel, owner: await panel.browser().login(), last: 0, isOn: true };
}
type World = Awaited<ReturnType<typeof world>>;

/** Changes of inbounds that the reseller does not have, or of what she cannot see of her own. */
async function changesInbounds(world: World, kind: 'switch' | 'rename' | 'counters' | 'another', run: number) {
  const { owner } = world;
  if (kind === 'switch') {
    world.isOn = !world.isOn;
    return owner.post('/panel/api/inbounds/setEnable/2', { enable: world.isOn });
  }
  if (kind === 'counters') return owner.post('/panel/api/inbounds/1/resetTraffic');
  const { obj } = (await owner.get('/panel/api/inbounds/get/2')).json as { obj: Record<string, unknown> };
  if (kind === 'rename') return owner.post('/panel/api/inbounds/update/2', { ...obj, remark: `foreign ${run}` });
  const third = { ...obj, port: 20_000, tag: 'in-20000', settings: '{"clients":[],"decryption":"none"}' };
  const added = (await owner.post('/panel/api/inbounds/add', third)).json as { obj: { id: number } };
  return owner.post(`/panel/api/inbounds/del/${added.obj.id}`);
}

const add = (browser: World['owner'], inbound: number, client: object) =>
  browser.post('/panel/api/inbounds/addClient', { id: inbound, settings: JSON.stringify({ clients: [client] }) });

/** A new reseller, who has inbound 1 with two clients. `run` is unique; the numbers are the same in both worlds. */
async function arrival({ panel, owner, last }: World, run: number, until: number) {
  // In both worlds the next client has the same number.
  const fillers = Array.from({ length: until - last }, (_, i) => draft(`filler-${run}-${i}`, 50_000 + last + i));
  if (fillers.length > 0) panel.given({ type: 'AddClients', data: { inbound: two, clients: fillers } });
  const access = { role: 'reseller', inbounds: [one], quotas: { ...NO_QUOTAS, clients: 4 } };
  const username = `seller-${run}`;
  panel.given({ type: 'CreateUser', data: { username, passwordHash: 'plain long enough', access } });
  const seller = await panel.browser().login({ username, password: 'long enough' });
  const own = ['a', 'b'].map((name) => `mine-${run}-${name}`);
  const receipts: string[] = [];
  for (const [index, email] of own.entries()) {
    const { headers } = await add(seller, one, wire(email, run * 2 + index + 1));
    receipts.push(headers.get('x-portolan-position') ?? '-');
  }
  const given = `given-${run}`;
  await add(owner, one, wire(given, 20_000 + run));
  const pushed = await pushesTo(panel.port, seller.cookie);
  const accounts = [...panel.read.admins.users().users.keys()];
  const account = Math.max(...accounts);
  return { seller, account, own: [...own, given], first: until + 1, receipts, arrived: timeOf(panel), pushed };
}
type Arrival = Awaited<ReturnType<typeof arrival>>;
type Departure = Arrival & { readonly left: string };

/** The time now, as a moment of the past. What follows happens later. */
function timeOf(panel: World['panel']): string {
  const time = new Date(panel.now()).toISOString();
  panel.later(1000);
  return time;
}

/** The owner of the panel does the deeds. Returns the emails of clients that are left. */
async function does(world: World, run: number, deeds: readonly Deed[]): Promise<readonly string[]> {
  const { panel, owner } = world;
  const foreign: string[] = [];
  for (const [index, done] of deeds.entries()) {
    if (done.kind === 'add') {
      const email = `${done.email}-${run}`;
      if (foreign.includes(email)) continue;
      await add(owner, done.inbound === 1 ? one : two, wire(email, FOREIGN + run * 20 + index));
      foreign.push(email);
      continue;
    }
    if (done.kind === 'bulk') {
      const extended = { action: 'extend', days: 1, search: 'foreign' };
      await owner.post('/panel/api/clients/change', extended);
      continue;
    }
    if (!('which' in done)) {
      await changesInbounds(world, done.kind, run);
      continue;
    }
    const email = foreign[done.which % Math.max(1, foreign.length)];
    if (email === undefined) continue;
    const change = { action: done.kind, search: email };
    if (done.kind === 'handOver') {
      const clients = panel.read.clients.byEmail(email).map(({ number }) => number);
      for (const to of [0, 1]) await owner.post('/panel/api/admins/handOver', { clients, owner: to });
      continue;
    }
    if (done.kind === 'traffic') panel.given({ type: 'AdjustClientTraffic', data: { email, up: 1000, down: 2000 } });
    else await owner.post('/panel/api/clients/change', change);
    if (done.kind === 'delete') foreign.splice(foreign.indexOf(email), 1);
  }
  return foreign;
}

/**
 * What the owner does to clients of the reseller, alone or together with those of others: hands one over, takes one away, and
 * changes one. `others`: numbers of clients of others.
 */
async function doesToHers({ owner }: World, { account, first }: Arrival, others: readonly number[]): Promise<void> {
  const hand = (clients: readonly number[], to: number) =>
    owner.post('/panel/api/admins/handOver', { clients, owner: to });
  if (others.length > 0) for (const to of [0, 1]) await hand([first + 2], to);
  await hand([first + 2], account);
  await hand([first + 1, ...others], 1);
  await hand([first + 1], account);
  await owner.post('/panel/api/clients/change', { action: 'extend', days: 1, clients: [first + 1, ...others] });
  await owner.post('/panel/api/clients/change', { action: 'disable', clients: [first + 2, ...others] });
  await owner.post('/panel/api/clients/change', { action: 'enable', clients: [first + 2, ...others] });
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
  /logout|sessions|updateUser|TwoFactor|passkey|recovery|factor|getNew|freePort|csrf|server\/(status|history|cpu)|setting\/account|\/events/i;

/** Times, ids and secrets of the session differ between two runs of the same history. */
const comparable = (text: string): string =>
  text
    .replaceAll(/\b1[6-9]\d{8}(\d{3})?\b/g, 'TIME')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    // The rest of a cursor is the generation of the log and a hash of random ids.
    .replaceAll(/(?<=\b\d{1,15}\.)[\w-]{36}\.[0-9a-f]{16}/g, 'HISTORY')
    .replaceAll(/"(generation|correlationId|id)":"[^"]*"/g, '"$1":"ID"')
    .replaceAll(/"online":(true|false|\d+)|,(yes|no),(?=yes|no)/g, 'ONLINE');

/** Hidden positions, by the order in which a reader meets them: which ones are equal may be known, and nothing else. */
function withPositions(): (text: string) => string {
  const met = new Map<string, string>();
  return (text) =>
    text.replaceAll(/(?<!\d)[2-5]\d{14}(?!\d)/g, (shown) => {
      met.set(shown, met.get(shown) ?? `POSITION-${met.size + 1}`);
      return met.get(shown) ?? '';
    });
}

/** What an answer tells besides its text. The hash of a receipt is of random ids. */
function told(headers: Headers): string {
  const hash = headers.has('x-portolan-hash') ? 'hash' : '-';
  const named = [
    'etag',
    'x-portolan-position',
    'x-portolan-time',
    'x-portolan-head',
    'x-portolan-erased',
    'x-portolan-erased-count',
    'x-portolan-erased-fields',
    'location',
    'content-disposition',
  ];
  return [...named.map((name) => headers.get(name) ?? '-'), hash].join(' ');
}

const numbersOf = (clients: readonly { readonly number: number }[]): readonly number[] =>
  clients.map(({ number }) => number);

/** Changes that name clients and inbounds of others, which exist in one of the worlds. */
function foreignPosts(run: number, first: number): readonly (readonly [path: string, body: object])[] {
  const [email, number, id] = [`foreign-last-${run}`, first + 3, uuid(FOREIGN + run * 20 + 3)];
  const client = { ...wire(email, FOREIGN + run * 20 + 3), enable: false };
  const posts: (readonly [string, object])[] = [];
  for (const { method, path, filtered } of routes) {
    if (method !== 'POST' || !filtered || !path.includes(':') || LEFT_OUT.test(path)) continue;
    for (const key of [email, id])
      for (const inbound of ['1', '2']) {
        const filled = path.replaceAll(/:\w+/g, (name) => (name === ':id' ? inbound : key));
        const settings = JSON.stringify({ clients: [client] });
        posts.push([filled, { id: Number(inbound), settings, upload: 1, download: 1 }]);
      }
  }
  // An email in use elsewhere is refused, and that may be known.
  const other = wire(`back-${run}`, 30_000 + run);
  const terms = { client: number, enabled: false };
  for (const body of [
    { terms: [terms] },
    { counters: [{ email, up: 1, down: 1 }] },
    { moved: [{ number, inbound: 1, client: other }] },
    { deleted: [{ inbound: 2, client: other }] },
  ])
    posts.push(['/panel/api/clients/restore', body]);
  for (const inbound of [1, 2, 3])
    posts.push(['/panel/api/clients/change', { action: 'move', to: inbound, clients: [number], preview: true }]);
  return posts;
}

/** Everything that the reseller gets: the answer of each route, and of changes of own clients. */
async function learned(
  { seller, own, first, receipts, arrived, left }: Departure,
  run: number,
): Promise<readonly string[]> {
  const position = withPositions();
  const lines: string[] = receipts.map(position);
  const ask = async (method: string, path: string, body?: object, sent?: Record<string, string>) => {
    const { status, text, headers } = await seller.send(method, path, body, sent);
    lines.push(position(comparable(`${method} ${path} ${status} ${told(headers)} ${text}`)));
    return headers;
  };
  const [mine = ''] = own;
  for (const { auth, method, path, filtered } of routes) {
    if (auth === 'none' || LEFT_OUT.test(path) || !(run === 1 || filtered)) continue;
    for (const value of path.includes(':') ? ['1', String(first), mine, uuid(FOREIGN), 'foreign-x'] : ['']) {
      const filled = path.replaceAll(/:\w+/g, value);
      if (method === 'POST' && /del|change|restore|reset|clear/i.test(filled)) continue;
      await ask(method, filled, method === 'POST' ? {} : undefined);
    }
  }
  const moments = ['2020-01-01T00:00:00Z', arrived, left, ...receipts.slice(0, 1)];
  // One moment after the other: only a few stay in memory.
  for (const at of moments)
    for (const route of routes.filter((one) => one.filtered && answersAt(one)))
      await ask('GET', `${route.path.replaceAll(/:\w+/g, (name) => (name === ':id' ? '1' : mine))}?at=${at}`);
  const change = '/panel/api/clients/change';
  for (const body of [
    ...['foreign', 'note of foreign', uuid(FOREIGN).slice(0, 12)].map((search) => ({ action: 'disable', search })),
    { action: 'disable', clients: [first, first + 2, first + 3, first + 4] },
    { action: 'addTraffic', bytes: 1000, preview: true },
    { action: 'enable' },
    { action: 'reset', inbound: 1 },
  ])
    for (const dryRun of ['?dryRun=true', '']) await ask('POST', change + dryRun, body);
  const feed = async (query: string) =>
    /"cursor":"([^"]+)"/.exec((await seller.get(`/panel/api/events?${query}`)).text)?.[1] ?? '';
  const half = await feed('limit=3');
  for (const query of [
    ...[
      '',
      'limit=2',
      'after=7',
      'after=0',
      'types=ClientAdded,ClientsUpdated,InboundUpdated,OwnerAssigned',
      'types=X',
    ],
    ...[`after=${half}`, `after=${receipts[0]}`, 'after=999999999999999', 'wait=1&types=NodeAdded'],
  ])
    lines.push(position(comparable((await seller.get(`/panel/api/events?${query}`)).text)));
  for (const filled of foreignPosts(run, first)) await ask('POST', ...filled);
  for (const path of ['page?search=foreign', 'page?sort=used&order=desc', 'export', 'top', 'inbounds'])
    await ask('GET', `/panel/api/clients/${path}`);
  await ask('POST', '/panel/api/inbounds/1/delClientByEmail/foreign-x');
  await ask('POST', '/panel/api/inbounds/resetAllClientTraffics/1');
  const added = { id: 1, settings: JSON.stringify({ clients: [wire(`${mine}-c`, 40_000 + first)] }) };
  await ask('POST', '/panel/api/inbounds/addClient?dryRun=true', added);
  const etag = (await ask('GET', `/panel/api/clients/${mine}/details`)).get('etag') ?? '';
  await ask('POST', change, { action: 'disable', clients: [first] });
  for (const version of [etag, `"client-${FOREIGN}@1-${'0'.repeat(20)}"`, '"settings@1-00000000000000000000"'])
    await ask('POST', change, { action: 'enable', clients: [first] }, { 'if-match': version });
  await ask('GET', `/panel/api/clients/${mine}/why`);
  for (const body of [{ action: 'disable' }, { action: 'delete' }]) {
    const position = (await ask('POST', change, { ...body, clients: [first] })).get('x-portolan-position') ?? '';
    for (const at of ['7', position]) {
      await ask('POST', `/panel/api/events/${at}/undo`, { dryRun: true });
      await ask('POST', `/panel/api/events/${at}/undo`);
    }
  }
  return lines;
}

describe('two panels that differ only in clients of others', () => {
  it('are the same to a reseller: replies, refusals, counts, tags, receipts and pushes', {
    timeout: 900_000,
  }, async () => {
    const [quiet, busy] = [await world(), await world()];
    let run = 0;
    await fc.assert(
      fc.asyncProperty(history, async (deeds) => {
        run += 1;
        const until = Math.max(quiet.last, busy.last);
        const [some, other] = [await arrival(busy, run, until), await arrival(quiet, run, until)];
        const foreign = await does(busy, run, deeds);
        const others = [...busy.panel.read.clients.all()].filter(({ identity }) =>
          identity.email.startsWith('foreign'),
        );
        await doesToHers(busy, some, numbersOf(others));
        await doesToHers(quiet, other, []);
        const row = [some.first, 5, 7] as const;
        // A push about an own client ends what is compared.
        for (const { panel } of [busy, quiet])
          panel.given({
            type: 'RecordTraffic',
            data: { run: 'r', clients: [row], inbounds: [[one, 5, 7]], outbounds: [] },
          });
        const [busyLeft, quietLeft] = [timeOf(busy.panel), timeOf(quiet.panel)];
        for (const { pushed } of [some, other]) await eventually(() => expect(pushed.at(-1)).toContain('"traffic"'));
        expect(some.pushed).toStrictEqual(other.pushed);
        // Whether a client is online must not depend on how long the requests take.
        for (const { panel } of [busy, quiet]) panel.later(60_000);
        const [lines, same] = await Promise.all([
          learned({ ...some, left: busyLeft }, run),
          learned({ ...other, left: quietLeft }, run),
        ]);
        // Whole answers of hundreds of requests would hide what differs.
        expect(lines.filter((line, index) => line !== same[index])).toStrictEqual(
          same.filter((line, index) => line !== lines[index]),
        );
        expect(
          lines.filter((line) => line.includes(some.own[0] ?? '-') && line.includes(' 200 ')).length,
        ).toBeGreaterThan(5);
        // What the reseller sent herself comes back in refusals.
        const unasked = lines.filter((line) => !/^POST \S*foreign-last/.test(line)).join('\n');
        expect(unasked).not.toMatch(/foreign-last|note of foreign|hidden inbound/);
        expect((await busy.owner.get('/panel/api/inbounds/list')).text).toContain(foreign.at(-1));
        for (const one of [quiet, busy])
          one.last = Math.max(...[...one.panel.read.clients.all()].map(({ number }) => number));
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });
});
