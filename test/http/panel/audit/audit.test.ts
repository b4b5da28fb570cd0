import { describe, expect, it } from 'vitest';
import { catalog } from '../../../../src/events/catalog.js';
import { draft, inboundDraft, one, userId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const headers = { authorization: 'Bearer secret-token' };
const PATH = '/panel/api/audit';
/** Markup, a direction override, a formula, and the separators of CSV. */
const HOSTILE = '=cmd|"<img src=x onerror=alert(1)>,;\u202e';

interface Entry {
  position: number;
  type: string;
  what: string;
  by: string;
  subject: { kind: string; number: number; name: string; exists: boolean } | null;
  actor: { kind: string; name: string; ip: string | null };
  cause: { position: number; type: string } | null;
}
interface Page {
  events: Entry[];
  next: number;
  head: number;
  generation: string;
}

async function start() {
  const panel = await startPanel();
  const { given } = panel;
  given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  given({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
  const clients = [draft('alice', 1, { spec: { capBytes: 100 } }), draft('bob', 2)];
  given({ type: 'AddClients', data: { inbound: one, clients } });
  const obj = async (path: string, more: Record<string, string> = {}) =>
    (await panel.call('GET', `${PATH}${path}`, { headers: { ...headers, ...more } })).json;
  const page = async (query = '') => (await obj(`/page${query}`))?.obj as Page;
  const types = async (query: string) => (await page(query)).events.map(({ type }) => type);
  return { panel, given, obj, page, types };
}

describe('pages of the audit', () => {
  it('have the newest events first, each with its sentence, subject and actor', async () => {
    const { panel, given, page } = await start();
    given({ type: 'AdjustClientTraffic', data: { email: 'alice', up: 100, down: 1 } });
    const { events, next, head, generation } = await page();
    expect(head).toBe(panel.log.head().position);
    expect(generation).toBe(panel.log.generation);
    expect(next).toBe(0);
    expect(events.map(({ position }) => position)).toStrictEqual(Array.from({ length: head }, (_, n) => head - n));
    expect(events.slice(0, 2)).toMatchObject([
      {
        type: 'ClientDepleted',
        group: 'clients',
        subject: { kind: 'client', number: 1, name: 'alice', exists: true },
        what: 'was cut off: it used 101 bytes of 100 bytes',
        whatCode: 'history.clientDepleted',
        by: 'the panel (test)',
        actor: { kind: 'system', name: 'test', ip: null },
        cause: { position: head - 1, type: 'ClientTrafficAdjusted' },
      },
      { type: 'ClientTrafficAdjusted', cause: null },
    ]);
    expect(panel.appended()).toStrictEqual([]);
  });

  it('are in the language of the caller', async () => {
    const { obj } = await start();
    const page = (await obj('/page?types=InboundAdded', { 'accept-language': 'de, ru' }))?.obj as Page;
    expect(page.events[0]).toMatchObject({ what: 'добавлено: vless, порт 443', whatCode: 'audit.inboundAdded' });
  });

  it('continue from a position, and end', async () => {
    const { page } = await start();
    const all = (await page()).events.map(({ position }) => position);
    const found: number[] = [];
    let next = 0;
    do {
      const part = await page(`?limit=3&before=${next}`);
      found.push(...part.events.map(({ position }) => position));
      next = part.next;
    } while (next !== 0);
    expect(found).toStrictEqual(all);
    expect((await page(`?after=${all[2]}`)).events).toHaveLength(2);
    expect(await page(`?after=${all[0]}`)).toMatchObject({ events: [], next: 0, head: all[0] });
    expect((await page('?before=999999')).events).toHaveLength(all.length);
  });

  it.each([
    ['?client=ALICE', ['ClientAdded']],
    ['?client=bob&types=ClientDeleted', []],
    ['?inbound=1', ['InboundAcceptedByCore', 'InboundRejectedByCore', 'InboundAdded']],
    ['?inbound=2', []],
    ['?node=1', []],
    ['?group=inbounds', ['InboundAdded']],
    ['?types=InboundAdded,ApiTokenIssued', ['InboundAdded', 'ApiTokenIssued']],
    ['?by=user', []],
    ['?actor=TEST&group=clients', ['ClientAdded', 'ClientAdded']],
    ['?actor=unknown', []],
    ['?ip=203.0.113.0/24', ['LoginFailed']],
    ['?ip=203.0.113.66', ['LoginFailed']],
    ['?ip=::1', []],
    ['?to=1', []],
    ['?group=inbounds&from=1700000000000', ['InboundAdded']],
  ])('%s', async (query, wanted) => {
    const { given, types } = await start();
    const reason = { code: 'core.killedBySignal' as const, params: { signal: 'SIGKILL' } };
    given({ type: 'RecordInboundRejected', data: { inbound: one, reason } });
    given({ type: 'RecordInboundAccepted', data: { inbound: one } });
    given({
      type: 'RecordLoginFailures',
      data: { attempt: { username: HOSTILE, ip: '203.0.113.66' }, reason: 'credentials', count: 2 },
    });
    expect(await types(query)).toStrictEqual(wanted);
  });

  it('have the address of a failed login, also in the export', async () => {
    const { panel, given, page } = await start();
    given({
      type: 'RecordLoginFailures',
      data: { attempt: { username: 'admin', ip: '203.0.113.66' }, reason: 'credentials', count: 1 },
    });
    expect((await page('?types=LoginFailed')).events).toMatchObject([{ ip: '203.0.113.66', actor: { ip: null } }]);
    const { text } = await panel.call('GET', `${PATH}/export?format=csv&types=LoginFailed`, { headers });
    expect(text).toContain(',203.0.113.66,');
  });

  it('leave out measurements unless they are wanted', async () => {
    const { given, types } = await start();
    given({ type: 'RecordCoreStarted', data: { run: 'r1', version: '1', reason: 'start' } });
    given({ type: 'RecordTraffic', data: { run: 'r1', clients: [], inbounds: [[1, 5, 6]], outbounds: [] } });
    expect(await types('?group=traffic')).toStrictEqual([]);
    expect(await types('?group=traffic&routine=true')).toStrictEqual(['TrafficRecorded']);
    expect(await types('?types=TrafficRecorded')).toStrictEqual(['TrafficRecorded']);
  });

  it('find a deleted client by its email, with its last name', async () => {
    const { given, page } = await start();
    given({ type: 'DeleteClient', data: { inbound: one, client: { email: 'bob' } } });
    const { events } = await page('?client=bob');
    expect(events).toMatchObject([
      { type: 'ClientDeleted', subject: { name: 'bob', exists: false } },
      { type: 'ClientAdded' },
    ]);
  });

  it.each([
    ['?types=Unknown', 'EVENT_TYPE_UNKNOWN'],
    ['?group=unknown', 'INPUT_INVALID'],
    ['?client=carol', 'CLIENT_NOT_FOUND'],
    ['?by=anyone', 'INPUT_INVALID'],
    ['?ip=localhost', 'INPUT_INVALID'],
    ['?ip=10.0.0.0/99', 'INPUT_INVALID'],
    ['?from=yesterday', 'INPUT_INVALID'],
    ['?limit=201', 'INPUT_INVALID'],
    ['?before=-1', 'INPUT_INVALID'],
    [`?actor=${'x'.repeat(201)}`, 'INPUT_INVALID'],
  ])('refuse %s', async (query, code) => {
    const { obj } = await start();
    expect(await obj(`/page${query}`)).toMatchObject({ success: false, code });
    expect(await obj(`/export${query.replace('limit=201', 'by=x').replace('before=-1', 'to=-1')}`)).toMatchObject({
      success: false,
      code,
    });
  });

  it('need a session or the token', async () => {
    const { panel } = await start();
    for (const path of ['/page', '/types', '/chain', '/verify', '/export', '/1'])
      expect((await panel.call('GET', `${PATH}${path}`)).status, path).toBe(404);
  });

  it('know every event type', async () => {
    const { obj } = await start();
    const types = (await obj('/types'))?.obj as { type: string }[];
    expect(types.map(({ type }) => type)).toStrictEqual(catalog.map(({ type }) => type));
  });
});

describe('one event of the audit', () => {
  it('has its changes, causes and effects, and its JSON without secrets', async () => {
    const { given, obj, panel } = await start();
    given({ type: 'AdjustClientTraffic', data: { email: 'alice', up: 100, down: 1 } });
    const head = panel.log.head().position;
    const details = (await obj(`/${head}`))?.obj;
    expect(details).toMatchObject({
      entry: { position: head, type: 'ClientDepleted' },
      causes: [{ position: head - 1, type: 'ClientTrafficAdjusted' }],
      ...{ effects: [], moreEffects: false, removed: false },
      hash: panel.log.head().hash,
      event: { position: head, type: 'ClientDepleted', emails: { 1: 'alice' }, data: { client: 1 } },
    });
    expect((await obj(`/${head - 1}`))?.obj).toMatchObject({
      changes: [
        { field: 'up', before: 0, after: 100, secret: false },
        { field: 'down', before: 0, after: 1, secret: false },
      ],
      effects: [{ position: head }],
    });
  });

  it('shows no credential, and that there was one', async () => {
    const { panel, obj } = await start();
    const added = panel.log.read(0, 100).find(({ type }) => type === 'ClientAdded');
    const { text } = await panel.call('GET', `${PATH}/${added?.position}`, { headers });
    expect(text).not.toContain('password-1');
    expect(text).not.toContain('sub-alice');
    const details = (await obj(`/${added?.position}`))?.obj as { changes: object[] } | undefined;
    const changes = details?.changes;
    expect(changes).toContainEqual({ field: 'credential', secret: true });
    expect(changes).toContainEqual({ field: 'email', after: 'alice', secret: false });
    expect(changes).toContainEqual({ field: 'capBytes', after: 100, secret: false });
  });

  it.each(['0', '999999'])('is refused at position %s', async (position) => {
    const { obj } = await start();
    expect(await obj(`/${position}`)).toMatchObject({ success: false, code: 'POSITION_UNKNOWN' });
  });

  it('is refused for a word', async () => {
    const { obj } = await start();
    expect(await obj('/newest')).toMatchObject({ success: false, code: 'INPUT_INVALID' });
  });
});

describe('an export of the audit', () => {
  it('has each matching event on a line of JSON, as in the event feed', async () => {
    const { panel } = await start();
    const { headers: sent, text } = await panel.call('GET', `${PATH}/export?group=clients`, { headers });
    expect(sent.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(sent.get('content-disposition')).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.jsonl"$/);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { type: 'ClientAdded', subject: { name: 'bob' }, data: { client: 2, spec: { enabled: true } } },
      { type: 'ClientAdded', subject: { name: 'alice' }, ip: null, by: 'the panel (test)' },
    ]);
    expect(text).not.toMatch(/password-|sub-alice/);
  });

  it('is a CSV file in which no name can become a formula or a cell', async () => {
    const { panel, given } = await start();
    given({ type: 'UpdateInbound', data: { inbound: one, ...inboundDraft({ spec: { remark: HOSTILE } }) } });
    const { headers: sent, text } = await panel.call('GET', `${PATH}/export?format=csv&inbound=1`, { headers });
    expect(sent.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = text.split('\r\n');
    expect(lines[0]).toBe('position,time,type,subject,number,what,by,name,address,cause,role');
    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain(`,InboundUpdated,"'=cmd|""<img src=x onerror=alert(1)>,;\\u202e",1,`);
  });

  it('is empty when nothing matches', async () => {
    const { panel } = await start();
    expect((await panel.call('GET', `${PATH}/export?to=1`, { headers })).text).toBe('');
  });
});

describe('the chain of the log', () => {
  it('has its head, and how far a backup has verified it', async () => {
    const { panel, given, obj } = await start();
    const { head } = { head: panel.log.head() };
    expect((await obj('/chain'))?.obj).toStrictEqual({ generation: panel.log.generation, head, verified: null });
    const name = 'portolan-2026-11-21-position-3-sealed.db';
    const made = { name, position: 3, bytes: 1, encrypted: true, createdAt: 5, comparedModels: 1 };
    given({ type: 'RecordBackupVerified', data: made });
    expect((await obj('/chain'))?.obj).toMatchObject({
      verified: { position: 3, at: 5, hash: panel.log.hashAt(3) },
    });
  });

  it('is verified in parts', async () => {
    const { panel, obj } = await start();
    const head = panel.log.head().position;
    expect((await obj('/verify?limit=2'))?.obj).toStrictEqual({ position: 2, head, fault: null });
    expect((await obj('/verify?after=2'))?.obj).toStrictEqual({ position: head, head, fault: null });
    expect(await obj('/verify?after=999999')).toMatchObject({ success: false, code: 'POSITION_UNKNOWN' });
  });
});
