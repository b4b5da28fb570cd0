import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replayed } from '../../../../src/worker/capsule.js';
import { draft, inboundDraft, one, userId } from '../../../kit/builders.js';
import { fromCapsule } from '../../../kit/capsule.js';
import { temporaryFolder } from '../../../kit/log.js';
import { startPanel } from '../../kit/panel.js';
import { API, TOKEN_HEADERS as headers } from '../../kit/samples.js';

/** What must not be in a bug report. */
const PRIVATE = {
  email: 'ann@harbour.example',
  other: 'bob@harbour.example',
  comment: 'owes two coffees',
  address: '203.0.113.77',
  remark: 'Harbour office',
  path: 'secret-path',
  token: 'bot-secret-4711-abcdefghijklmnopqrstuv',
  admin: 'captain',
} as const;

async function start() {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  panel.given({ type: 'CreateUser', data: { username: PRIVATE.admin, passwordHash: 'hash-of-captain' } });
  const browser = await panel.browser().login();
  await browser.post('/panel/setting/secret', { key: 'chatBotToken', value: `123456:${PRIVATE.token}` });
  expect(panel.appended()).toHaveLength(1);
  const config = {
    settings: { decryption: 'none' },
    stream: { network: 'ws', wsSettings: { path: `/${PRIVATE.path}` } },
  };
  const inbound = inboundDraft({ spec: { remark: PRIVATE.remark }, config });
  panel.given({ type: 'AddInbound', data: { owner: userId(1), ...inbound } });
  const ann = draft(PRIVATE.email, 1, { identity: { comment: PRIVATE.comment } });
  panel.given({ type: 'AddClients', data: { inbound: one, clients: [ann, draft(PRIVATE.other, 2)] } });
  panel.given({ type: 'AdjustClientTraffic', data: { email: PRIVATE.email, up: 8_000_001, down: 5 } });
  const ips = [{ ip: PRIVATE.address, seenAt: panel.now() }];
  panel.given({ type: 'RecordClientIps', data: { seen: [{ client: 1, ips }] } });
  panel.given({ type: 'RecordTraffic', data: { run: 'r1', clients: [[1, 7, 8]], inbounds: [], outbounds: [] } });
  const get = async (query: string) => panel.call('GET', `${API}/audit/capsule?${query}`, { headers });
  return { panel, get };
}

describe('GET /panel/api/audit/capsule', () => {
  it.each([`client=${PRIVATE.email}`, 'client=%231', 'around=8'])(
    'downloads the events of %s: they replay to the same digests, without names, addresses and secrets',
    async (query) => {
      const { panel, get } = await start();
      const { status, headers: answered, text } = await get(query);
      expect(status).toBe(200);
      expect(answered.get('content-disposition')).toMatch(/^attachment; filename="bug-report-[a-z]+-\d+\.jsonl"$/);
      const file = join(temporaryFolder(), 'capsule.jsonl');
      writeFileSync(file, text);
      const { header, events, read } = fromCapsule(file);
      expect(replayed(events)).toStrictEqual(header.digests);
      expect(header.position).toBe(panel.log.head().position);
      const ann = read.clients.get(1) ?? expect.fail('no client');
      expect(read.usage.client(ann)).toMatchObject({ up: 8_000_008, down: 13 });
      const secrets = [...Object.values(PRIVATE), 'harbour', 'Harbour', 'secret-token', 'hash-of-captain', '00000001-'];
      for (const secret of secrets) expect(text).not.toContain(secret);
      expect(panel.appended()).toStrictEqual([]);
      // Its file is deleted as soon as it is open.
      expect(readdirSync(join(panel.directory.root, 'staged'))).toStrictEqual([]);
    },
  );

  it('has nothing of other clients', async () => {
    const { get } = await start();
    const [header = ''] = (await get(`client=${PRIVATE.email}`)).text.split('\n');
    expect(JSON.parse(header)).toMatchObject({ capsule: 1, clients: [1], inbounds: [1] });
  });

  it.each([
    ['', 200, 'INPUT_INVALID'],
    [`around=1&client=${PRIVATE.email}`, 200, 'INPUT_INVALID'],
    ['around=999', 400, 'EVENT_UNKNOWN'],
    ['client=zoe', 404, 'CLIENT_NOT_FOUND'],
    ['client=%2377', 404, 'CLIENT_NOT_FOUND'],
  ])('refuses %j', async (query, status, code) => {
    const { panel, get } = await start();
    const answer = await get(query);
    expect([answer.status, answer.json]).toMatchObject([status, { success: false, code }]);
    expect(panel.appended()).toStrictEqual([]);
    const staged = join(panel.directory.root, 'staged');
    expect(existsSync(staged) ? readdirSync(staged) : []).toStrictEqual([]);
  });
});
