import { describe, expect, it } from 'vitest';
import { clientNumber, draft, inboundDraft, one, two, userId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';
import { API, TOKEN_HEADERS as headers } from '../../kit/samples.js';

const HALF = [{ count: 0.5 }];
const MEGA = 1_000_000;

interface Preview {
  readonly position: number;
  readonly clients: number;
  readonly changes: readonly { readonly email: string; readonly recounted: { readonly up: number } }[];
}

/** Ann and Bob used bytes in two inbounds; one measurement of Ann is a jump over her cap. */
async function start() {
  const panel = await startPanel({ settings: { timeLocation: 'UTC' } });
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  for (const port of [443, 444]) {
    const inbound = inboundDraft({ spec: { port, tag: `in-${port}` } });
    panel.given({ type: 'AddInbound', data: { owner: userId(1), ...inbound } });
  }
  const ann = draft('ann', 1, { spec: { capBytes: MEGA } });
  panel.given({ type: 'AddClients', data: { inbound: one, clients: [ann] } });
  panel.given({ type: 'AddClients', data: { inbound: two, clients: [draft('bob', 2)] } });
  const polled = (...clients: (readonly [number, number, number])[]): void =>
    panel.given({ type: 'RecordTraffic', data: { run: 'r1', clients, inbounds: [], outbounds: [] } });
  polled([1, 100, 200], [2, 10, 20]);
  polled([1, 2 * MEGA, 0], [2, 30, 40]);
  const send = async (path: string, body: object, more: Readonly<Record<string, string>> = {}) =>
    panel.call('POST', `${API}/audit/recount${path}`, {
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
  const preview = async (body: object) => {
    const { json } = await send('/preview', body);
    return json?.obj as Preview;
  };
  const used = (email: string) => {
    const [client] = panel.read.clients.byEmail(email);
    const { up, down } = panel.read.usage.client(client ?? expect.fail('no client'));
    return { up, down };
  };
  return { panel, polled, send, preview, used, head: () => panel.log.head().position };
}

describe('POST /panel/api/audit/recount/preview', () => {
  it('shows whose counters would change, the largest difference first, and appends nothing', async () => {
    const { panel, send, head } = await start();
    const { json } = await send('/preview', { rules: HALF, all: true });
    expect(json?.obj).toStrictEqual({
      ...{ position: head(), unchecked: 0, clients: 2 },
      counted: { up: 2 * MEGA + 140, down: 260 },
      recounted: { up: MEGA + 70, down: 130 },
      changes: [
        {
          client: 1,
          email: 'ann',
          counted: { up: 2 * MEGA + 100, down: 200 },
          recounted: { up: MEGA + 50, down: 100 },
        },
        { client: 2, email: 'bob', counted: { up: 40, down: 60 }, recounted: { up: 20, down: 30 } },
      ],
    });
    expect(panel.appended()).toStrictEqual([]);
  });

  it('recounts the clients of an inbound or one client, up to an earlier position, in pages', async () => {
    const { preview, head, polled } = await start();
    expect((await preview({ rules: HALF, inbound: 2 })).changes.map(({ email }) => email)).toStrictEqual(['bob']);
    expect((await preview({ rules: HALF, client: 'ann' })).changes.map(({ email }) => email)).toStrictEqual(['ann']);
    const position = head();
    polled([2, 1000, 0]);
    const [bob] = (await preview({ rules: HALF, client: 'bob', position })).changes;
    expect(bob?.recounted.up).toBe(20);
    const second = await preview({ rules: HALF, all: true, position, skip: 1, limit: 1 });
    expect([second.clients, second.changes.map(({ email }) => email)]).toStrictEqual([2, ['bob']]);
  });

  it.each([
    [{ rules: HALF }, 'Choose the clients'],
    [{ rules: HALF, all: true, client: 'ann' }, 'Choose the clients'],
    [{ rules: HALF, client: 'zoe' }, 'zoe'],
    [{ rules: HALF, inbound: 9 }, 'Inbound 9'],
    [{ rules: HALF, all: true, position: 999 }, '999'],
    [{ rules: [], all: true }, 'rules: has no rule'],
    [{ all: true }, 'rules'],
    [{ rules: [{ count: -1 }], all: true }, 'rules.0.count'],
    [{ rules: [{}], all: true }, 'rules.0.count'],
    [{ rules: [{ count: 1, moreThan: -5 }], all: true }, 'rules.0.moreThan'],
    [{ rules: [{ count: 1, from: 'yesterday' }], all: true }, 'rules.0.from: is not a day such as 2026-03-31'],
    [{ rules: [{ count: 1, to: '2026-02-30' }], all: true }, 'rules.0.to: is not a day'],
    [{ rules: [{ count: 1, from: '2026-03-02', to: '2026-03-01' }], all: true }, 'rules.0.to: is before 2026-03-02'],
    [{ rules: HALF.concat({ count: 1, node: 'far' } as never), all: true }, 'rules.1.node: node "far" is not known'],
    [{ rules: [{ count: 1, month: 3 }], all: true }, 'month'],
  ])('refuses %j', async (body, text) => {
    const { panel, send } = await start();
    for (const path of ['/preview', '/apply']) {
      const { json } = await send(path, body);
      expect(json).toMatchObject({ success: false, msg: expect.stringContaining(text) });
      expect(panel.appended()).toStrictEqual([]);
    }
  });
});

describe('a recount over events about many clients', () => {
  const CREW = Array.from({ length: 12 }, (_, n) => 3 + n);

  /** Twelve more clients in inbound 2, that were measured, changed and reset in one event each, and measured again. */
  async function crew() {
    const started = await start();
    const { panel, polled } = started;
    const clients = CREW.map((n) => draft(`crew-${n}`, n, { spec: { capBytes: 10 * MEGA } }));
    panel.given({ type: 'AddClients', data: { inbound: two, clients } });
    const numbers = CREW.map(clientNumber);
    polled(...CREW.map((n): [number, number, number] => [n, 1000, 500]));
    panel.given({ type: 'ChangeClientTerms', data: { terms: numbers.map((client) => ({ client, capBytes: 150 })) } });
    panel.given({ type: 'ResetClientsTraffic', data: { clients: numbers } });
    const many = panel.appended().map(({ type }) => type);
    expect(many).toStrictEqual(expect.arrayContaining(['ClientsUpdated', 'ClientsTrafficReset']));
    polled(...CREW.map((n): [number, number, number] => [n, 200, 100]));
    panel.appended();
    return started;
  }

  it('counts from the reset of each client on', async () => {
    const { preview, panel } = await crew();
    const { clients, changes } = await preview({ rules: HALF, inbound: 2 });
    expect(clients).toBe(13);
    const rows = changes.filter(({ email }) => email.startsWith('crew-'));
    expect(rows.map(({ email }) => email).sort()).toStrictEqual(CREW.map((n) => `crew-${n}`).sort());
    for (const row of rows)
      expect(row).toMatchObject({ counted: { up: 200, down: 100 }, recounted: { up: 100, down: 50 } });
    expect(panel.appended()).toStrictEqual([]);
  });

  it('sets the counters of each, under the terms that they have now', async () => {
    const { panel, preview, send, used } = await crew();
    const { position } = await preview({ rules: HALF, inbound: 2 });
    const { json, text } = await send('/apply', { rules: HALF, inbound: 2, position });
    // Each is at its new cap of 150 bytes, as it was above it before.
    expect(json, text).toMatchObject({ success: true, obj: { adjusted: 13, reactivated: 0 } });
    const adjusted = panel.appended().filter(({ type }) => type === 'ClientTrafficAdjusted');
    expect(adjusted.map(({ data }) => (data as { client: number }).client).sort((a, b) => a - b)).toStrictEqual([
      ...[2, ...CREW],
    ]);
    for (const n of CREW) expect(used(`crew-${n}`)).toStrictEqual({ up: 100, down: 50 });
    expect((await preview({ rules: [{ count: 1 }], inbound: 2 })).clients).toBe(0);
  });
});

describe('POST /panel/api/audit/recount/apply', () => {
  const JUMP = [{ moreThan: MEGA, count: 0 }];

  it('sets the counters as one command with its cause, and adds what was measured since the preview', async () => {
    const { panel, polled, send, preview, used } = await start();
    const { position } = await preview({ rules: JUMP, all: true });
    polled([1, 7, 8]);
    const { json, headers: answered } = await send('/apply', { rules: JUMP, all: true, position });
    const [recounted, adjusted, reactivated, ...others] = panel.appended();
    expect(others).toStrictEqual([]);
    expect(recounted).toMatchObject({ type: 'TrafficRecounted', data: { rules: JUMP, position, clients: 1 } });
    const before = { up: 2 * MEGA + 107, down: 208 };
    expect(adjusted).toMatchObject({ type: 'ClientTrafficAdjusted', data: { client: 1, up: 107, down: 208, before } });
    expect(reactivated?.type).toBe('ClientReactivated');
    expect([adjusted?.meta.causationId, reactivated?.meta.causationId]).toStrictEqual([recounted?.id, adjusted?.id]);
    expect(new Set(panel.appended().map(({ meta }) => meta.correlationId)).size).toBe(1);
    expect(json).toMatchObject({
      ...{ success: true, msg: expect.stringContaining('Counters set: 1') },
      obj: { event: recounted?.position, adjusted: 1, depleted: 0, reactivated: 1 },
    });
    expect(answered.get('x-portolan-position')).toBe(String(reactivated?.position));
    expect(used('ann')).toStrictEqual({ up: 107, down: 208 });
    expect(used('bob')).toStrictEqual({ up: 40, down: 60 });
  });

  it('is refused when counters were reset or set since the preview; those of other clients do not matter', async () => {
    const { panel, send, preview } = await start();
    const asked = { rules: HALF, client: 'ann' };
    const { position } = await preview(asked);
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'bob', up: 1, down: 1 } });
    const dry = await panel.call('POST', `${API}/audit/recount/apply?dryRun=true`, {
      ...{ headers, body: JSON.stringify({ ...asked, position }) },
    });
    expect(dry.json?.obj).toMatchObject({ dryRun: true, total: 2 });
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'ann', up: 9 * MEGA, down: 9 * MEGA } });
    const { json } = await send('/apply', { ...asked, position });
    expect(json).toMatchObject({ success: false, code: 'RECOUNT_OUTDATED', msg: expect.stringContaining('ann') });
    expect(panel.appended()).toStrictEqual([]);
  });

  it('has one effect when it is repeated, with a key or without', async () => {
    const { panel, send, preview } = await start();
    const { position } = await preview({ rules: HALF, all: true });
    const body = { rules: HALF, all: true, position };
    const first = await send('/apply', body, { 'idempotency-key': 'once' });
    expect(panel.appended().map(({ type }) => type)).toContain('TrafficRecounted');
    const second = await send('/apply', body, { 'idempotency-key': 'once' });
    expect(second.json).toStrictEqual(first.json);
    expect(panel.appended()).toStrictEqual([]);
    expect((await send('/apply', body)).json).toMatchObject({ success: false, code: 'RECOUNT_OUTDATED' });
    expect(panel.appended()).toStrictEqual([]);
    const nothing = await send('/apply', { rules: HALF, all: true });
    expect(nothing.json).toMatchObject({ success: true, obj: { event: 0, adjusted: 0 } });
    expect(panel.appended()).toStrictEqual([]);
  });

  it('can be undone', async () => {
    const { panel, send, used } = await start();
    const before = [used('ann'), used('bob')];
    const { json } = await send('/apply', { rules: HALF, all: true });
    const event = (json?.obj as { event: number } | undefined)?.event ?? 0;
    const undone = await panel.call('POST', `${API}/events/${event}/undo`, { headers, body: '{}' });
    expect(undone.json).toMatchObject({ success: true, obj: { obstacles: [] } });
    expect([used('ann'), used('bob')]).toStrictEqual(before);
  });
});
