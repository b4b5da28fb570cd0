import { describe, expect, it } from 'vitest';
import { clientNumber, draft, inboundDraft, two, userId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const headers = { authorization: 'Bearer secret-token' };
const CLIENTS = 12;

interface Entry {
  position: number;
  type: string;
  what: string;
  subject: { kind: string; number: number; name: string; exists: boolean } | null;
}
interface Page {
  events: Entry[];
  next: number;
}
interface Member {
  subject: Entry['subject'];
  changes: { field: string; before?: unknown; after?: unknown; secret: boolean }[];
}

const numbers = Array.from({ length: CLIENTS }, (_, i) => clientNumber(i + 1));
/** The client whose email the second inbound has as well. */
const SHARED = 'client-1';

/** A panel with 12 clients in the first inbound; the first of them has an account in a second one, number 13. */
async function start() {
  const panel = await startPanel();
  const { given } = panel;
  given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const clients = numbers.map((n) => draft(`client-${n}`, n));
  given({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft({ clients }) } });
  const other = inboundDraft({ id: two, spec: { port: 8443, tag: 'in-2' }, clients: [draft(SHARED, 1)] });
  given({ type: 'AddInbound', data: { owner: userId(1), ...other } });
  const all = [...numbers, clientNumber(CLIENTS + 1)];
  const get = async <T>(path: string) => (await panel.call('GET', `/panel/api${path}`, { headers })).json?.obj as T;
  const head = () => panel.log.head().position;
  return { panel, given, all, get, head };
}

/** All entries of an audit, page by page. */
async function pagesOf(get: <T>(path: string) => Promise<T>, query: string): Promise<Entry[]> {
  const found: Entry[] = [];
  let next = 0;
  do {
    const page = await get<Page>(`/audit/page?${query}&before=${next}`);
    found.push(...page.events);
    next = page.next;
  } while (next !== 0);
  return found;
}

describe('an event about many clients in the audit', () => {
  it('has an entry for each account of an email, also where a page ends', async () => {
    const { given, all, get, head } = await start();
    given({ type: 'ResetClientsTraffic', data: { clients: all } });
    given({ type: 'ResetClientsTraffic', data: { clients: all } });
    const whole = (await get<Page>(`/audit/page?client=${SHARED}`)).events;
    const of = ({ position, type, subject }: Entry) => [position, type, subject?.number];
    expect(whole.slice(0, 4).map(of)).toStrictEqual([
      [head(), 'ClientTrafficReset', 1],
      [head(), 'ClientTrafficReset', 13],
      [head() - 1, 'ClientTrafficReset', 1],
      [head() - 1, 'ClientTrafficReset', 13],
    ]);
    for (const limit of [1, 2, 3]) expect(await pagesOf(get, `client=${SHARED}&limit=${limit}`)).toStrictEqual(whole);
  });

  it('is found by the type of its members and by its own', async () => {
    const { given, all, get, head } = await start();
    given({ type: 'DeleteClients', data: { clients: [clientNumber(12)] } });
    const single = head();
    given({ type: 'DeleteClients', data: { clients: all.slice(0, 11) } });
    const many = head();
    const found = async (query: string) =>
      (await pagesOf(get, query)).map(({ position, type, subject }) => [position, type, subject?.number ?? null]);
    expect(await found('types=ClientDeleted')).toStrictEqual([
      [many, 'ClientsDeleted', null],
      [single, 'ClientDeleted', 12],
    ]);
    expect(await found('types=ClientsDeleted')).toStrictEqual([[many, 'ClientsDeleted', null]]);
    expect(await found('types=ClientDeleted&client=client-2')).toStrictEqual([[many, 'ClientDeleted', 2]]);
    expect(await found('types=ClientsDeleted&client=client-2')).toStrictEqual([[many, 'ClientDeleted', 2]]);
    expect(await found('types=ClientsDeleted&client=client-12')).toStrictEqual([]);
  });

  it('shows what changed of each client, in pages', async () => {
    const { panel, given, get, head } = await start();
    given({ type: 'ChangeClientTerms', data: { terms: [{ client: clientNumber(2), capBytes: 7 }] } });
    const terms = numbers.map((client) => ({ client, capBytes: 100, enabled: client !== 3 }));
    given({ type: 'ChangeClientTerms', data: { terms } });
    panel.appended();
    const details = await get<{ members: number; changes: unknown[]; entry: Entry }>(`/audit/${head()}`);
    expect(details).toMatchObject({ members: CLIENTS, changes: [], entry: { type: 'ClientsUpdated', subject: null } });
    const part = (query: string) => get<{ members: Member[]; total: number }>(`/audit/${head()}/members?${query}`);
    expect(await part('skip=1&limit=2')).toStrictEqual({
      members: [
        {
          subject: { kind: 'client', number: 2, name: 'client-2', exists: true },
          changes: [{ field: 'capBytes', before: 7, after: 100, secret: false }],
        },
        {
          subject: { kind: 'client', number: 3, name: 'client-3', exists: true },
          changes: [
            { field: 'enabled', before: true, after: false, secret: false },
            { field: 'capBytes', before: 0, after: 100, secret: false },
          ],
        },
      ],
      total: CLIENTS,
    });
    expect((await part('skip=10')).members.map(({ subject }) => subject?.number)).toStrictEqual([11, 12]);
    expect(await get(`/audit/${head() - 1}/members`)).toStrictEqual({ members: [], total: 0 });
    const { json } = await panel.call('GET', `/panel/api/audit/${head() + 1}/members`, { headers });
    expect(json).toMatchObject({ success: false, code: 'POSITION_UNKNOWN' });
    expect(panel.appended()).toStrictEqual([]);
  });

  it('is one line of a file about everything, and one for each account in a file about an email', async () => {
    const { panel, given, all } = await start();
    given({ type: 'ResetClientsTraffic', data: { clients: all } });
    const lines = async (query: string) => {
      const { text } = await panel.call('GET', `/panel/api/audit/export?types=ClientTrafficReset&${query}`, {
        headers,
      });
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; data: object });
    };
    expect(await lines('')).toMatchObject([{ type: 'ClientsTrafficReset' }]);
    expect(await lines(`client=${SHARED}`)).toMatchObject([
      { type: 'ClientTrafficReset', data: { client: 1 } },
      { type: 'ClientTrafficReset', data: { client: 13 } },
    ]);
  });
});

describe('an event about many clients', () => {
  it('is in the feed for those who ask for the type of its members', async () => {
    const { given, all, get, head } = await start();
    given({ type: 'DeleteClients', data: { clients: all } });
    const typesOf = async (types: string) =>
      (await get<{ events: Entry[] }>(`/events?types=${types}`)).events.map(({ position, type }) => [position, type]);
    expect(await typesOf('ClientDeleted')).toStrictEqual([[head(), 'ClientsDeleted']]);
    expect(await typesOf('ClientsDeleted')).toStrictEqual([[head(), 'ClientsDeleted']]);
    expect(await typesOf('ClientTrafficReset')).toStrictEqual([]);
  });

  it('is in the history of each client, and in that of a deleted one', async () => {
    const { given, get, head } = await start();
    const terms = numbers.map((client) => ({ client, enabled: false }));
    given({ type: 'ChangeClientTerms', data: { terms } });
    const why = () => get<{ status: string; since: { position: number }; story: Entry[] }>('/clients/client-5/why');
    expect(await why()).toMatchObject({ status: 'disabled', since: { position: head() } });
    given({ type: 'DeleteClients', data: { clients: numbers } });
    const { status, since, story } = await why();
    expect({ status, since: since.position }).toStrictEqual({ status: 'deleted', since: head() });
    expect(story.map(({ type }) => type)).toStrictEqual(['ClientAdded', 'ClientUpdated', 'ClientDeleted']);
  });

  it('is in the personal data of its clients, without the others', async () => {
    const { panel, given, all } = await start();
    given({ type: 'ResetClientsTraffic', data: { clients: all } });
    given({ type: 'DeleteClients', data: { clients: numbers } });
    const post = async (path: string) =>
      panel.call('POST', `/panel/api/personalData${path}`, {
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{}',
      });
    const { json, text } = await post('/export/client-5');
    const exported = json?.obj as { events: Entry[] } | undefined;
    expect(exported?.events.map(({ type }) => type)).toStrictEqual([
      'ClientAdded',
      'ClientTrafficReset',
      'ClientDeleted',
    ]);
    expect(text).not.toContain('client-6');
    panel.appended();
    expect((await post('/erase/client-5')).json).toMatchObject({ success: true });
    expect(panel.appended().map(({ type }) => type)).toContain('PersonalDataErased');
    expect((await post('/export/client-5')).json).toMatchObject({ success: false, code: 'CLIENT_NOT_FOUND' });
  });

  it('is in a bug report with one of its clients', async () => {
    const { panel, given, all } = await start();
    given({ type: 'ResetClientsTraffic', data: { clients: all } });
    const { status, text } = await panel.call('GET', '/panel/api/audit/capsule?client=client-5', { headers });
    expect(status).toBe(200);
    expect(text).toContain('"ClientsTrafficReset"');
    expect(text).not.toContain('client-6');
  });

  it('is recorded once when a request is repeated', async () => {
    const { panel } = await start();
    panel.appended();
    const reset = async () =>
      panel.call('POST', '/panel/api/inbounds/resetAllClientTraffics/1', {
        headers: { ...headers, 'idempotency-key': 'reset of November' },
      });
    const first = await reset();
    expect(panel.appended().map(({ type }) => type)).toContain('ClientsTrafficReset');
    const repeated = await reset();
    expect(repeated.json).toStrictEqual(first.json);
    expect(panel.appended()).toStrictEqual([]);
  });

  it('is the cause of a field in a diff, and is not in a moment before it', async () => {
    const { given, get, head } = await start();
    const from = head();
    given({ type: 'ChangeClientTerms', data: { terms: numbers.map((client) => ({ client, capBytes: 9 })) } });
    const diff = await get<{ counts: object; documents: { number: number; fields: object[]; events: object[] }[] }>(
      `/audit/diff?from=${from}&client=client-4`,
    );
    expect(diff.documents).toMatchObject([
      {
        number: 4,
        fields: [{ field: 'capBytes', before: 0, after: 9, position: head() }],
        events: [{ position: head(), type: 'ClientUpdated' }],
      },
    ]);
    const capAt = async (position: number) => {
      const [inbound] = await get<{ settings: string }[]>(`/inbounds/list?at=${position}`);
      const { clients } = JSON.parse(inbound?.settings ?? '{}') as { clients: { email: string; totalGB: number }[] };
      return clients.find(({ email }) => email === 'client-4')?.totalGB;
    };
    expect([await capAt(from), await capAt(head())]).toStrictEqual([0, 9]);
  });
});
