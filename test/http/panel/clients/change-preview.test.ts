import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientNumber, DAY, draft, inboundDraft, one, two, userId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';
import { API, TOKEN_HEADERS as headers } from '../../kit/samples.js';

interface Preview {
  changed: number;
  disconnected: number;
  reconnected: number;
  names: Record<'disconnected' | 'reconnected' | 'others' | 'same', string[]>;
}
interface Affected {
  clients: { email: string }[];
}
interface DryRun {
  events: { type: string; data: { client?: number; clients?: unknown[] } }[];
  effects: { disconnected: Affected; reconnected: Affected };
}

/** The terms of a client, in days from now where they are times. */
const terms = fc.record({
  enabled: fc.boolean(),
  capBytes: fc.constantFrom(0, 50, 100),
  days: fc.constantFrom(0, -2, 3),
  startsLater: fc.boolean(),
  used: fc.constantFrom(0, 60, 120),
});
const asked = fc.record({
  action: fc.constantFrom('enable', 'disable', 'extend', 'addTraffic', 'reset', 'move', 'delete'),
  days: fc.constantFrom(0, 1, 30),
  bytes: fc.constantFrom(0, 10, 1000),
});
/** More than the names in an answer would be left out. */
const CLIENTS = 5;

describe('the preview of a change of many clients', () => {
  it('says the same as the dry run of the change, for every action and any clients', async () => {
    const panel = await startPanel();
    panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
    const spec = { port: 4434, tag: 'away' };
    panel.given({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
    panel.given({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft({ spec }) } });
    const change = async (body: object, query = '') => {
      const sent = { headers, body: JSON.stringify(body) };
      const { json, text } = await panel.call('POST', `${API}/clients/change${query}`, sent);
      expect(json?.success, text).toBe(true);
      return json?.obj;
    };
    let last = 0;
    const all = fc.array(terms, { minLength: 1, maxLength: CLIENTS });
    await fc.assert(
      fc.asyncProperty(all, asked, async (clients, { action, ...amounts }) => {
        const begin = last;
        for (const { enabled, capBytes, days, startsLater, used } of clients) {
          last += 1;
          const expiresAt = startsLater && days > 0 ? -days * DAY : days === 0 ? 0 : Date.now() + days * DAY;
          const client = draft(`c${last}`, last, { spec: { enabled, capBytes, expiresAt } });
          panel.given({ type: 'AddClients', data: { inbound: one, clients: [client] } });
          if (used > 0) panel.given({ type: 'AdjustClientTraffic', data: { email: `c${last}`, up: used, down: 0 } });
        }
        panel.given({ type: 'DepleteExpired', data: {} });
        const numbers = clients.map((_, i) => clientNumber(begin + i + 1));
        const body = { action, ...amounts, to: 2, clients: numbers };
        const preview = (await change({ ...body, preview: true })) as Preview;
        const dry = (await change(body, '?dryRun=true')) as DryRun;
        const emails = ({ clients: some }: Affected) => some.map(({ email }) => email).toSorted();
        const { names } = preview;
        expect(names.disconnected.toSorted()).toStrictEqual(emails(dry.effects.disconnected));
        // A client that moves comes back at once, under another number.
        const back = action === 'move' ? names.disconnected : names.reconnected;
        expect(back.toSorted()).toStrictEqual(emails(dry.effects.reconnected));
        expect([preview.disconnected, preview.reconnected]).toStrictEqual([
          names.disconnected.length,
          names.reconnected.length,
        ]);
        const touched = new Set(
          dry.events.flatMap(({ data: { client, clients: many = [] } }) => [client, ...many.flat()]),
        );
        const skipped = numbers.filter((number) => !touched.has(number)).map((number) => `c${number}`);
        expect(names.same.toSorted()).toStrictEqual(skipped.toSorted());
        expect(preview.changed).toBe(numbers.length - skipped.length);
        expect(panel.read.clients.get(numbers[0] ?? 0)).toBeDefined();
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  it('names the clients in other inbounds that come back with a reset, as the dry run does', async () => {
    const panel = await startPanel();
    panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
    panel.given({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
    panel.given({
      type: 'AddInbound',
      data: { owner: userId(1), ...inboundDraft({ spec: { port: 4434, tag: 'in-2' } }) },
    });
    const client = (n: number, enabled = true) =>
      draft('ann', n, { spec: { enabled, capBytes: 100 }, identity: { subId: 'ann' } });
    panel.given({ type: 'AddClients', data: { inbound: one, clients: [client(1)] } });
    panel.given({ type: 'AddClients', data: { inbound: two, clients: [client(2)] } });
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'ann', up: 120, down: 0 } });
    const change = async (body: object, query = '') => {
      const sent = { headers, body: JSON.stringify({ action: 'reset', ...body }) };
      return (await panel.call('POST', `${API}/clients/change${query}`, sent)).json?.obj;
    };
    for (const clients of [[1], [2], [1, 2]]) {
      const dry = (await change({ clients }, '?dryRun=true')) as DryRun;
      const preview = (await change({ clients, preview: true })) as Preview;
      expect(dry.effects.reconnected.clients).toHaveLength(2);
      expect([clients, preview.reconnected, preview.names.reconnected]).toStrictEqual([clients, 2, ['ann', 'ann']]);
    }
    panel.appended();
    await change({ clients: [1] });
    expect(panel.appended().filter(({ type }) => type === 'ClientReactivated')).toHaveLength(2);
  });
});
