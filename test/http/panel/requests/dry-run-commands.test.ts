import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import type { RecordedEvent } from '../../../../src/events/catalog.js';
import { allMembersOf } from '../../../../src/events/client/members.js';
import { dryRunOf } from '../../../../src/http/panel/contract/dry-run.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import type { Route } from '../../../../src/http/panel/contract/route.js';
import { createHeadKey, signHead } from '../../../../src/lib/proof/signed-head.js';
import { verbatim } from '../../../../src/messages/message.js';
import { feedEvent } from '../../../../src/projections/feed.js';
import { clientNumber, draft, one, userId, uuid } from '../../../kit/builders.js';
import { codeAt, TOKEN } from '../../../kit/totp.js';
import { ADMIN, startPanel } from '../../kit/panel.js';
import { API, INBOUND, NODE, wireOf } from '../../kit/samples.js';

type Panel = Awaited<ReturnType<typeof startPanel>>;
/** Makes the body of a request in the present state of the panel. */
type Body = object | ((panel: Panel) => object);

const KEY = createHeadKey();
const head = signHead({ panel: uuid(7), position: 5, hash: 'a'.repeat(64), root: 'a'.repeat(64), at: 1000 }, KEY);
const WEBHOOK = { name: 'billing', url: 'http://127.0.0.1:1/', types: ['clients'] };
const TOKEN_BODY = { name: 'program', role: 'support' };
const clientsOf = (...emails: string[]) => JSON.stringify({ clients: emails.map((email, i) => wireOf(email, 70 + i)) });
const code = (panel: Panel) => ({ twoFactorCode: codeAt(TOKEN, panel.now()) });
function deadLetter(panel: Panel) {
  const data = { rejected: 2, eventType: 'ClientAdded', attempts: 8, reason: verbatim('HTTP 400') };
  for (const webhook of panel.read.records.webhooks().byId.keys())
    panel.given({ type: 'RecordWebhookEventRejected', data: { webhook, ...data } });
  return { position: 0 };
}
/** Numbers of clients that are enough for one event about all of them. */
const MANY = Array.from({ length: 10 }, (_, i) => 4 + i);

/** At least one request for each route with a dry run, in an order in which each of them changes something. */
const REQUESTS: readonly (readonly [path: string, body?: Body])[] = [
  [`${API}/audit/recount/apply`, { rules: [{ count: 0.5 }], all: true }],
  [`${API}/inbounds/add`, { ...INBOUND, remark: 'third', port: 4435 }],
  [`${API}/inbounds/import`, { data: JSON.stringify({ ...INBOUND, remark: 'fourth', port: 4436 }) }],
  [`${API}/inbounds/importAll`, { inbounds: [{ ...INBOUND, remark: 'fifth', port: 4437 }] }],
  [`${API}/inbounds/update/1`, { remark: 'renamed' }],
  [`${API}/inbounds/setEnable/1`, { enable: false }],
  [`${API}/inbounds/setEnable/1`, { enable: true }],
  [`${API}/inbounds/addClient`, { id: 2, settings: clientsOf('new', 'newer', 'newest') }],
  [`${API}/inbounds/updateClient/${wireOf('new', 70).id}`, { id: 2, settings: clientsOf('renamed') }],
  [`${API}/inbounds/1/copyClients`, { sourceInboundId: 2 }],
  [`${API}/inbounds/updateClientTraffic/ann`, { upload: 10, download: 20 }],
  [`${API}/inbounds/1/resetClientTraffic/ann`],
  [`${API}/inbounds/clearClientIps/ann`],
  [`${API}/clients/change`, { clients: [1, 2, ...MANY], action: 'disable' }],
  [`${API}/clients/change`, { clients: [1, 2, ...MANY], action: 'enable' }],
  [`${API}/clients/restore`, { terms: [{ client: 1, capBytes: 5 }], counters: [{ email: 'ann', up: 3, down: 1 }] }],
  [`${API}/clients/change`, { clients: [1, 2, ...MANY], action: 'reset' }],
  [`${API}/inbounds/updateClientTraffic/many-5`, { upload: 10, download: 20 }],
  [`${API}/inbounds/delDepletedClients/-1`],
  [`${API}/inbounds/updateClientTraffic/many-4`, { upload: 10, download: 20 }],
  [`${API}/inbounds/resetAllClientTraffics/1`],
  [`${API}/inbounds/1/delClient/${uuid(3)}`],
  [`${API}/inbounds/1/delClientByEmail/bob`],
  [`${API}/events/:head/undo`],
  [`${API}/nodes/add`, NODE],
  [`${API}/nodes/update/1`, { ...NODE, name: 'farther' }],
  [`${API}/nodes/setEnable/1`, { enable: false }],
  [`${API}/nodes/del/1`],
  [`${API}/setting/update`, { pageSize: 17 }],
  ['/panel/setting/update', { pageSize: 18 }],
  ['/panel/setting/secret', { key: 'ldapPassword', value: 'directory secret' }],
  ['/panel/setting/regenerateApiToken'],
  [`${API}/xray/update`, { outboundTestUrl: 'http://192.0.2.1/a' }],
  ['/panel/core/update', { outboundTestUrl: 'http://192.0.2.1/b' }],
  [`${API}/xray/resetOutboundsTraffic`, { tag: 'direct' }],
  ['/panel/core/resetOutboundsTraffic', { tag: '-alltags-' }],
  [`${API}/inbounds/resetAllTraffics`],
  [`${API}/inbounds/1/resetTraffic`],
  [`${API}/roles/save`, { name: 'night', grants: [{ permission: 'clients:read', scope: 'all' }] }],
  [`${API}/admins/add`, { username: 'third', password: 'a long pass phrase', role: 'night' }],
  [`${API}/admins/access/2`, { role: 'auditor' }],
  [`${API}/admins/password/2`, { password: 'another pass phrase' }],
  [`${API}/admins/endSessions/2`],
  [`${API}/admins/handOver`, { clients: [1, 4], owner: 2 }],
  [`${API}/admins/del/2`, { owner: 1 }],
  [`${API}/admins/del/3`, { owner: 1 }],
  [`${API}/roles/del/night`],
  [`${API}/tokens/add`, TOKEN_BODY],
  [`${API}/tokens/update/1`, { ...TOKEN_BODY, name: 'other' }],
  [`${API}/tokens/rotate/1`, { overlapHours: 1 }],
  [`${API}/tokens/revoke/1`],
  [`${API}/webhooks/add`, WEBHOOK],
  [`${API}/webhooks/update/1`, { ...WEBHOOK, name: 'invoices' }],
  [`${API}/webhooks/rotateSecret/1`, { overlapHours: 1 }],
  [`${API}/webhooks/pause/1`],
  [`${API}/webhooks/resume/1`],
  [`${API}/webhooks/replay/1`, { after: 1 }],
  [`${API}/webhooks/discard/1`, deadLetter],
  [`${API}/webhooks/del/1`],
  [`${API}/custom-geo/delete/1`],
  [`${API}/personalData/export/ann`],
  [`${API}/personalData/hold`, { email: 'ann', reason: 'a dispute' }],
  [`${API}/personalData/release/1`, { reason: 'settled' }],
  [`${API}/personalData/erase/ann`, { reason: 'a request' }],
  [`${API}/proof/received`, { ...head, publicKey: KEY.publicKey }],
  ['/panel/setting/passkeys/remove/1'],
  ['/panel/setting/twoFactor/enable', (panel) => ({ twoFactorToken: TOKEN, ...code(panel) })],
  ['/panel/setting/twoFactor/recoveryCodes', code],
  ['/panel/setting/twoFactor/disable', code],
  ['/panel/setting/sessions/endOthers'],
  [
    '/panel/setting/updateUser',
    { oldUsername: ADMIN.username, oldPassword: ADMIN.password, newUsername: 'renamed', newPassword: 'other horse' },
  ],
  [`${API}/clients/change`, { clients: [1, 2, ...MANY], action: 'delete' }],
  [`${API}/inbounds/delete/2`],
  [`${API}/inbounds/del/1`],
];

const covered = Object.values(tables)
  .flatMap((table) => Object.values(table) as Route[])
  .filter((route) => dryRunOf(route) !== null);
const routeOf = (path: string): string | undefined =>
  covered.find((route) => new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path))?.path;

/** Tells apart what is random in every request: the stored form of a new secret. */
const RANDOM = new Set(['hash', 'prefix', 'secret', 'subId']);
const withoutRandom = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, inner: unknown) => (RANDOM.has(name) ? null : inner)));
const shownData = (event: RecordedEvent): unknown => withoutRandom(feedEvent(event, () => undefined).data);

/** Two inbounds with clients, a second admin, and one of everything that the requests need. The clock stands still. */
async function start() {
  const panel = await startPanel();
  const access = { role: 'support', inbounds: [], quotas: NO_QUOTAS };
  panel.given({ type: 'CreateUser', data: { username: 'second', passwordHash: 'plain long enough', access } });
  const browser = await panel.browser().login();
  const post = async (path: string, body: object = {}) => browser.post(path, body);
  await post(`${API}/inbounds/add`, INBOUND);
  await post(`${API}/inbounds/add`, { ...INBOUND, remark: 'away', port: 4434 });
  const clients = [draft('ann', 1), draft('bob', 2), draft('off', 3, { spec: { enabled: false } })];
  const many = MANY.map((n) => draft(`many-${n}`, n, { spec: { capBytes: n % 2 === 0 ? 0 : 20 } }));
  panel.given({ type: 'AddClients', data: { inbound: one, clients: [...clients, ...many] } });
  panel.given({ type: 'RecordCoreStarted', data: { run: 'r1', version: '1', reason: 'start' } });
  const inbounds: [number, number, number][] = [[1, 100, 200]];
  const traffic = {
    run: 'r1',
    clients: [[2, 40, 60]] as [number, number, number][],
    inbounds,
    outbounds: [['direct', 5, 6]] as [string, number, number][],
  };
  panel.given({ type: 'RecordTraffic', data: traffic });
  for (const n of MANY) panel.given({ type: 'AdjustClientTraffic', data: { email: `many-${n}`, up: 1, down: 0 } });
  panel.given({ type: 'AdjustClientTraffic', data: { email: 'ann', up: 80, down: 5 } });
  panel.given({
    type: 'RecordClientIps',
    data: { seen: [{ client: clientNumber(1), ips: [{ ip: '192.0.2.9', seenAt: 1 }] }] },
  });
  const content = { sha256: 'a'.repeat(64), bytes: 3, lastModified: '', tags: [] };
  const source = { type: 'geosite', alias: 'own', url: 'https://192.0.2.1/own.dat' } as const;
  panel.given({ type: 'AddGeoSource', data: { ...source, content, used: false } });
  const key = { id: 'id', publicKey: 'key', transports: [], signCount: 0 };
  panel.given({ type: 'AddPasskey', data: { user: userId(1), name: 'key', host: 'a.example', ...key, evidence: {} } });
  return { panel, browser };
}
type Started = Awaited<ReturnType<typeof start>>;

/** Sends a request as a dry run, then carries it out, and compares both. Returns the number of events. */
async function compare({ panel, browser }: Started, [route, given = {}]: (typeof REQUESTS)[number]): Promise<number> {
  // The next code of the two-factor login.
  vi.setSystemTime(Date.now() + 30_000);
  const body = typeof given === 'function' ? given(panel) : given;
  const from = panel.log.head().position;
  const path = route.replace(':head', String(from));
  const dry = await browser.post(`${path}?dryRun=true`, body);
  expect(panel.log.head().position, `${path}: ${dry.text}`).toBe(from);
  const done = await browser.post(path, body);
  const label = `${path} ${JSON.stringify(body)}\n${dry.text}\n${done.text}`;
  const appended = panel.log.read(from, 1000).filter(({ type }) => type !== 'LoggedIn' && type !== 'CommandRefused');
  const { obj } = dry.json as { obj: { events?: { type: string; data: object }[]; total?: number } | null };
  if (!dry.json?.success) {
    expect([done.json?.success, done.json?.msg], label).toStrictEqual([false, dry.json?.msg]);
    expect(appended, label).toStrictEqual([]);
    return 0;
  }
  expect(done.json?.success, label).toBe(true);
  expect(
    obj?.events?.map(({ type, data }) => ({ type, data: withoutRandom(data) })),
    label,
  ).toStrictEqual(appended.map((event) => ({ type: event.type, data: shownData(event) })));
  expect(obj?.total).toBe(appended.length);
  for (const secret of [ADMIN.password, 'pass phrase', 'plain ', 'whsec_', 'directory secret', 'other horse', TOKEN])
    expect(dry.text).not.toContain(secret);
  for (const { data } of allMembersOf(appended))
    if ('credential' in data) expect(dry.text).not.toContain((data.credential as { id: string }).id || 'no id');
  return appended.length;
}

describe('a dry run of every command', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
    return () => vi.useRealTimers();
  });

  it('answers with exactly the events that the request then appends, and without secrets', async () => {
    const started = await start();
    const without: string[] = [];
    for (const request of REQUESTS) if ((await compare(started, request)) === 0) without.push(request[0]);
    expect(without).toStrictEqual([]);
  });

  it('is compared for every route that has one', () => {
    const compared = new Set(REQUESTS.map(([path]) => routeOf(path)));
    // It needs a cluster, so test/http/panel/cluster.test.ts compares it.
    compared.add(tables.cluster.approve.path);
    expect(covered.map(({ path }) => path).filter((path) => !compared.has(path))).toStrictEqual([]);
  });

  it('answers so in any state', async () => {
    const started = await start();
    const any = fc.constantFrom(...REQUESTS.filter(([path]) => !path.endsWith('/updateUser')));
    await fc.assert(
      fc.asyncProperty(any, async (request) => void (await compare(started, request))),
      { numRuns: 150, endOnFailure: true },
    );
  }, 60_000);
});
