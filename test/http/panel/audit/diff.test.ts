import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copy } from '../../../../src/worker/backup-work.js';
import { draft, inboundDraft, one, userId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const headers = { authorization: 'Bearer secret-token' };
const NODE = {
  name: 'far',
  scheme: 'https',
  address: '192.0.2.7',
  port: 2053,
  basePath: '/',
  apiToken: 'a'.repeat(32),
};

const HOOK = { name: 'billing', url: 'https://hooks.example/1', types: ['clients'] };
const PLACE = { type: 'geosite', alias: 'own', url: 'https://192.0.2.1/own.dat' } as const;

interface Field {
  field: string;
  before?: unknown;
  after?: unknown;
  secret: boolean;
  erased: boolean;
  position: number | null;
}
interface Diff {
  from: { position: number; at: number };
  to: { position: number; at: number };
  counts: { added: number; removed: number; changed: number };
  documents: {
    noun: string;
    number: number;
    name: string;
    change: string;
    fields: Field[];
    events: { position: number; type: string; by: string; byCode: string }[];
  }[];
}

type Panel = Awaited<ReturnType<typeof startPanel>>;

async function start() {
  const panel = await startPanel();
  const { given } = panel;
  given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  given({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
  given({ type: 'AddClients', data: { inbound: one, clients: [draft('ann', 1), draft('bob', 2), draft('cid', 3)] } });
  const call = async (query: string, more: Record<string, string> = {}) =>
    panel.call('GET', `/panel/api/audit/diff?${query}`, { headers: { ...headers, ...more } });
  const diff = async (query: string) => (await call(query)).json?.obj as Diff;
  const post = async (path: string, body: object = {}) => {
    panel.later(1000);
    const answer = await panel.call('POST', `/panel/api${path}`, {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.json?.success, answer.text).toBe(true);
  };
  return { panel, given, call, diff, post, head: () => panel.log.head().position };
}

describe('the diff of rights', () => {
  it('has roles, admins, tokens, webhooks, holds and geo sources, with who changed them, and no secret', async () => {
    const { panel, given, call, diff, post, head } = await start();
    const grant = (permission: string) => ({ permission, scope: 'all' });
    await post('/roles/save', { name: 'night', grants: [grant('clients:read'), grant('logs:read')] });
    await post('/admins/add', { username: 'maria', password: 'a long pass phrase', role: 'night' });
    const from = head();
    await post('/roles/save', { name: 'night', grants: [grant('clients:read'), grant('clients:delete')] });
    const widened = head();
    await post('/admins/access/2', { role: 'operator', inbounds: [] });
    await post('/admins/add', { username: 'second', password: 'a long pass phrase', role: 'owner' });
    await post('/tokens/add', { name: 'program', role: 'auditor' });
    given({ type: 'AddWebhook', data: { ...HOOK, secret: 'whsec_1', after: null } });
    given({ type: 'PlaceLegalHold', data: { clients: [1], from: 0, to: 0, reason: 'a dispute of John Doe' } });
    given({ type: 'AddGeoSource', data: { ...PLACE, content: null, used: false } });
    const report = await diff(`from=${from}`);
    expect(report.documents.map(({ noun, number, name, change }) => [noun, number, name, change])).toStrictEqual([
      ['role', 0, 'night', 'changed'],
      ['admin', 2, 'maria', 'changed'],
      ['admin', 3, 'second', 'added'],
      ['token', 1, 'program', 'added'],
      ['webhook', 1, 'billing', 'added'],
      ['hold', 1, '', 'added'],
      ['geoSource', 1, 'own', 'added'],
    ]);
    const [role, maria, second] = report.documents;
    expect(role?.fields).toStrictEqual([
      { field: 'logs:read', before: 'all', secret: false, erased: false, position: null },
      { field: 'clients:delete', after: 'all', secret: false, erased: false, position: widened },
    ]);
    expect(role?.events).toMatchObject([{ position: widened, type: 'RoleDefined', by: 'token API token' }]);
    expect(maria?.fields).toMatchObject([{ field: 'role', before: 'night', after: 'operator', position: widened + 1 }]);
    expect(second?.fields).toContainEqual(expect.objectContaining({ field: 'role', after: 'owner' }));
    expect(JSON.stringify(report)).not.toMatch(/whsec|hooks.example|John/);
    const only = await diff(`from=${from}&noun=admin`);
    expect(only.documents.map(({ name }) => name)).toStrictEqual(['maria', 'second']);
    const lines = (await call(`from=${from}&format=text`)).text.split('\n');
    expect(lines).toContain('~ role night: changed');
    expect(lines).toContain('  role: "night" → "operator"');
    expect(lines).toContain('+ legal hold #1: added');
    // The name of a deleted admin is erased.
    const before = head();
    await post('/admins/del/3');
    const gone = await diff(`from=${before}`);
    expect(gone.documents).toMatchObject([{ noun: 'admin', number: 3, name: 'erased-3', change: 'removed' }]);
    expect(panel.complaints).toStrictEqual([]);
  });
});

describe('the diff of two moments', () => {
  it('has what was added, removed and changed, by field, and who changed it', async () => {
    const { panel, diff, post, head } = await start();
    const from = head();
    await post('/inbounds/1/delClientByEmail/cid');
    const deleted = head();
    await post('/inbounds/update/1', { remark: 'renamed', total: 77 });
    const updated = head();
    await post('/nodes/add', NODE);
    await post('/setting/update', { pageSize: 17 });
    await post('/inbounds/updateClientTraffic/ann', { upload: 10, download: 20 });
    const report = await diff(`from=${from}`);
    expect(report).toMatchObject({
      from: { position: from },
      to: { position: head(), at: expect.any(Number) },
      counts: { added: 1, removed: 1, changed: 2 },
    });
    const short = ({ noun, number, name, change }: Diff['documents'][number]) => [noun, number, name, change];
    expect(report.documents.map(short)).toStrictEqual([
      ['inbound', 1, 'renamed', 'changed'],
      ['client', 3, 'cid', 'removed'],
      ['node', 1, 'far', 'added'],
      ['settings', 0, '', 'changed'],
    ]);
    const [inbound, client, node, settings] = report.documents;
    expect(inbound?.fields).toStrictEqual([
      { field: 'remark', before: 'first', after: 'renamed', secret: false, erased: false, position: updated },
      { field: 'capBytes', before: 0, after: 77, secret: false, erased: false, position: updated },
    ]);
    expect(client?.events).toStrictEqual([
      {
        position: deleted,
        at: expect.any(Number),
        type: 'ClientDeleted',
        by: 'token API token',
        byCode: 'history.byToken',
      },
    ]);
    expect(client?.fields).toContainEqual({
      field: 'email',
      before: 'cid',
      secret: false,
      erased: false,
      position: null,
    });
    expect(node?.fields).toContainEqual(
      expect.objectContaining({ field: 'token', secret: true, erased: false, position: head() - 2 }),
    );
    expect(settings?.fields).toMatchObject([{ field: 'pageSize', before: 25, after: 17 }]);
    expect(panel.appended()).toStrictEqual([]);
  });

  it('never shows a secret', async () => {
    const { call, post } = await start();
    const secret = '11111111-1111-4111-8111-111111111111';
    await post('/inbounds/addClient', {
      id: 1,
      settings: JSON.stringify({
        clients: [{ email: 'dan', id: secret, subId: 'subscription-of-dan', extra: 'spice' }],
      }),
    });
    await post('/nodes/add', NODE);
    await post('/xray/update', {
      xraySetting: JSON.stringify({
        outbounds: [{ tag: 'x', protocol: 'socks', settings: { password: 'hush-hush' } }],
      }),
    });
    for (const format of ['json', 'text']) {
      const { text } = await call(`from=1&format=${format}`);
      expect(text).toContain('dan');
      for (const hidden of [secret, 'subscription-of-dan', NODE.apiToken, 'hush-hush', 'spice'])
        expect(text).not.toContain(hidden);
    }
  });

  it('leaves out what was erased, and says so', async () => {
    const { panel, given, diff, post, head } = await start();
    const from = head();
    await post('/inbounds/1/delClientByEmail/bob');
    const to = head();
    panel.later(31 * 86_400_000);
    given({ type: 'EraseDeleted', data: {} });
    const { documents } = await diff(`from=${from}&to=${to}`);
    expect(documents).toMatchObject([{ name: 'erased-2', change: 'removed' }]);
    const email = documents[0]?.fields.find(({ field }) => field === 'email');
    expect(email).toStrictEqual({ field: 'email', secret: false, erased: true, position: null });
    expect(JSON.stringify(documents)).not.toContain('bob');
  });

  it('can be limited to a noun, to a client and to a part', async () => {
    const { diff, post, head } = await start();
    const from = head();
    await post('/clients/change', { clients: [1, 2, 3], action: 'disable' });
    await post('/setting/update', { pageSize: 17 });
    const names = async (query: string) =>
      (await diff(`from=${from}&${query}`)).documents.map(({ noun, name }) => name || noun);
    expect(await names('noun=settings')).toStrictEqual(['settings']);
    expect(await names('client=BOB')).toStrictEqual(['bob']);
    expect(await names('noun=node')).toStrictEqual([]);
    expect(await names('skip=1&limit=2')).toStrictEqual(['bob', 'cid']);
    expect((await diff(`from=${from}&skip=1&limit=2`)).counts).toStrictEqual({ added: 0, removed: 0, changed: 4 });
  });

  it('is a text for people in their language', async () => {
    const { call, post, head } = await start();
    const from = head();
    await post('/inbounds/1/delClientByEmail/cid');
    await post('/inbounds/update/1', { remark: 'new\u202ename' });
    const { text, headers: sent } = await call(`from=${from}&format=text`);
    expect(sent.get('content-type')).toBe('text/plain; charset=utf-8');
    const lines = text.replaceAll(/20\d\d-[\d-]+ [\d:]+Z/g, 'TIME').split('\n');
    expect(lines).toStrictEqual([
      `From position ${from} (TIME) to position ${from + 2} (TIME)`,
      'Added: 0, removed: 1, changed: 1',
      '',
      '~ inbound new\\u202ename (#1): changed',
      '  remark: "first" → "new\\u202ename"',
      `  TIME: InboundUpdated by token API token (#${from + 2})`,
      '',
      '- client cid (#3): removed',
      '  enabled: true',
      '  security: "auto"',
      '  email: "cid"',
      '  inbound: 1',
      `  TIME: ClientDeleted by token API token (#${from + 1})`,
      '',
    ]);
    const russian = await call(`from=${from}&format=text&limit=1`, { 'accept-language': 'ru' });
    expect(russian.text).toContain('Добавлено: 0, удалено: 1, изменено: 1');
    expect(russian.text).toContain('Не показано документов: 1');
  });

  it.each([
    ['from=9999', 'MOMENT_UNKNOWN'],
    ['from=1&to=yesterday', 'MOMENT_INVALID'],
    ['from=6&to=1', 'MOMENTS_REVERSED'],
  ])('is refused with 400 for %s', async (query, code) => {
    const { post, call } = await start();
    await post('/setting/update', { pageSize: 17 });
    await post('/setting/update', { pageSize: 18 });
    const { status, json } = await call(query);
    expect([status, json]).toMatchObject([400, { success: false, code }]);
  });

  it('needs a moment to begin with', async () => {
    const { call } = await start();
    expect((await call('')).json).toMatchObject({ success: false, code: 'INPUT_INVALID' });
    expect((await call('from=1&noun=users')).json).toMatchObject({ success: false, code: 'INPUT_INVALID' });
  });
});

describe('the diff of a backup and a moment', () => {
  const NAME = 'portolan-2026-11-21-position-5.db';
  const backUp = (panel: Panel, passphrase = '', name = NAME): string => {
    const { root } = panel.directory;
    const file = join(panel.directory.backups, name);
    mkdirSync(panel.directory.backups, { recursive: true, mode: 0o700 });
    rmSync(file, { force: true });
    copy({ root, file, passphrase, release: '0.0.0', now: Date.now() });
    return file;
  };
  const upload = async (panel: Panel, content: Buffer, fields: Record<string, string> = {}) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append('db', new Blob([new Uint8Array(content)]), 'mine.db');
    return panel.call('POST', '/panel/api/audit/diffUpload', { headers, body });
  };

  it('has what changed since a backup of the list, and appends nothing', async () => {
    const { panel, diff, post, head, call } = await start();
    backUp(panel);
    const from = head();
    await post('/inbounds/1/delClientByEmail/cid');
    const deleted = head();
    await post('/setting/update', { pageSize: 17 });
    panel.appended();
    const since = await diff(`from=backup:${NAME}`);
    expect(since).toMatchObject({
      ...{ from: { position: from }, to: { position: head() }, counts: { added: 0, removed: 1, changed: 1 } },
      documents: [
        { noun: 'client', name: 'cid', change: 'removed', events: [{ position: deleted, type: 'ClientDeleted' }] },
        { noun: 'settings', fields: [{ field: 'pageSize', after: 17, position: head() }] },
      ],
    });
    expect((await diff(`from=backup:${NAME}&to=${deleted}&noun=client`)).counts).toStrictEqual({
      ...{ added: 0, removed: 1, changed: 0 },
    });
    expect((await call(`from=backup:${NAME}&format=text`)).text).toContain('- client cid (#3): removed');
    expect((await call(`from=${head()}&to=backup:${NAME}`)).json?.msg).toContain('exchange them');
    expect((await call('from=backup:portolan-1.db')).json?.msg).toBe('Backup portolan-1.db not found');
    expect((await call(`from=backup:${NAME}&to=99999`)).json?.msg).toContain('"99999"');
    expect(panel.appended()).toEqual([]);
  });

  it('takes an upload, also of another panel, as either side', async () => {
    const [one, other] = [await start(), await start()];
    await other.post('/setting/update', { pageSize: 17 });
    const content = readFileSync(backUp(other.panel));
    one.panel.appended();
    const asked = { noun: 'settings' };
    const found = await upload(one.panel, content, asked);
    expect(found.json?.obj, found.text).toMatchObject({
      documents: [{ fields: [{ field: 'pageSize', before: 17, after: 25, position: null }], events: [] }],
    });
    const turned = await upload(one.panel, content, { ...asked, from: `${one.head()}`, to: 'upload' });
    expect(turned.json?.obj).toMatchObject({ documents: [{ fields: [{ before: 25, after: 17 }] }] });
    const neither = await upload(one.panel, content, { from: '1', to: '2' });
    expect(neither.json?.msg).toContain('must be `upload`');
    await expect.poll(() => readdirSync(join(one.panel.directory.root, 'staged'))).toEqual([]);
    expect(one.panel.appended()).toEqual([]);
  });

  it('opens a sealed backup with its passphrase, and refuses what is not a backup', async () => {
    const { panel, post } = await start();
    const sealed = readFileSync(backUp(panel, 'sail by the stars'));
    await post('/inbounds/1/delClientByEmail/cid');
    const refused = await upload(panel, sealed);
    expect(refused.json).toMatchObject({ success: false, code: 'BACKUP_NOT_COMPARED' });
    expect(refused.json?.msg).toContain('passphrase');
    const opened = await upload(panel, sealed, { passphrase: 'sail by the stars' });
    expect(opened.json?.obj).toMatchObject({ counts: { added: 0, removed: 1, changed: 0 } });
    const other = await upload(panel, Buffer.from('not a database'));
    expect(other.json).toMatchObject({ success: false, code: 'BACKUP_NOT_COMPARED' });
    const cut = await upload(panel, sealed.subarray(0, sealed.length - 4096), { passphrase: 'sail by the stars' });
    expect(cut.json).toMatchObject({ success: false, code: 'BACKUP_NOT_COMPARED' });
  });

  it('leaves out what the panel has erased since', async () => {
    const { panel, given, diff, post } = await start();
    backUp(panel);
    await post('/inbounds/1/delClientByEmail/bob');
    panel.later(40 * 86_400_000);
    given({ type: 'EraseDeleted', data: {} });
    const report = await diff(`from=backup:${NAME}&noun=client`);
    expect(report.documents).toMatchObject([{ name: 'erased-2', change: 'removed' }]);
    expect(JSON.stringify(report)).not.toContain('bob');
  });
});
