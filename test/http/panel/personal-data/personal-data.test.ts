import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../src/adapters/sqlite/database.js';
import { SqliteEventLog } from '../../../../src/adapters/sqlite/event-log.js';
import { Keyring, masterKey } from '../../../../src/adapters/sqlite/keyring.js';
import { contextOf } from '../../../../src/chat-bot/actions.js';
import { rawBytes } from '../../../adapters/sqlite/raw.js';
import { inboundDraft, userId } from '../../../kit/builders.js';
import { ADMIN, type Browser, startPanel } from '../../kit/panel.js';

const IPS = ['198.51.100.77', '2001:db8:77:7::77'] as const;
const EMAIL = 'canary.client@example.org';
const KEY = 'canary.key@example.org';
const NAME = 'canary-admin';
const CHAT = 777_000_177;
const CANARIES = [...IPS, '2001:db8:77:7::', EMAIL, KEY, NAME, String(CHAT), 'canary'];

/** A history with personal data wherever a caller can enter it. */
async function lived() {
  const panel = await startPanel({ settings: { trustedProxyCIDRs: '127.0.0.1/32' } });
  panel.given({ type: 'AddInbound', data: { ...inboundDraft(), owner: userId(1) } });
  const from = (ip: string) => ({ 'x-forwarded-for': ip, 'x-request-id': EMAIL, 'x-correlation-id': EMAIL });
  const browser = panel.browser();
  browser.token = String((await browser.get('/csrf-token')).json?.obj);
  expect((await browser.post('/login', ADMIN, from(IPS[0]))).json?.success).toBe(true);
  const renamed = { oldUsername: ADMIN.username, oldPassword: ADMIN.password };
  const now = { newUsername: NAME, newPassword: 'quite another one' };
  expect((await browser.post('/panel/setting/updateUser', { ...renamed, ...now }, from(IPS[0]))).json?.success).toBe(
    true,
  );
  await changes(browser, { ...from(IPS[1]), 'idempotency-key': KEY });
  for (const ip of IPS)
    for (let n = 0; n < 8; n += 1)
      await panel.browser().post('/login', { username: NAME, password: 'wrong' }, from(ip));
  const pressed = contextOf(
    { actor: { kind: 'bot', id: String(CHAT), name: NAME, ip: null }, person: CHAT, bot: 1, pressed: 'lq.abc' },
    `off ${EMAIL}`,
  );
  panel.dispatch({ type: 'ResetClientTraffic', data: { inbound: null, email: EMAIL } }, pressed);
  await panel.web.close();
  return panel;
}

async function changes(browser: Browser, headers: Record<string, string>): Promise<void> {
  const client = { id: '11111111-2222-4333-8444-000000000001', email: EMAIL, subId: 'canary-sub', enable: true };
  const added = { id: 1, settings: JSON.stringify({ clients: [client] }) };
  expect((await browser.post('/panel/api/inbounds/addClient', added, headers)).json?.success).toBe(true);
  const cleared = await browser.post(
    `/panel/api/inbounds/clearClientIps/${EMAIL}`,
    {},
    { ...headers, 'idempotency-key': `${KEY}2` },
  );
  expect(cleared.json?.success).toBe(true);
}

describe('the permanent part of the log', () => {
  it('contains no personal data: not in rows, command keys, or names of streams and keys', async () => {
    const panel = await lived();
    const types = new Set(panel.log.read(0, 1000).map(({ type }) => type));
    for (const type of [
      'LoggedIn',
      'LoginFailed',
      'UserCredentialsChanged',
      'ClientAdded',
      'ClientTrafficReset',
    ] as const)
      expect(types).toContain(type);
    const raw = rawBytes(join(panel.folder, 'events.db')).toString('latin1');
    expect(CANARIES.filter((canary) => raw.includes(canary))).toEqual([]);
    // With the keys all of it can be read.
    const bot = panel.log.read(0, 1000).find(({ type }) => type === 'ClientTrafficReset');
    expect(bot?.meta.actor).toEqual({ kind: 'bot', id: String(CHAT), name: NAME, ip: null });
    const failed = panel.log.read(0, 1000).filter(({ type }) => type === 'LoginFailed');
    expect(JSON.stringify(failed)).toContain(IPS[0]);
    for (const { meta } of panel.log.read(0, 1000))
      expect(`${meta.correlationId} ${meta.commandId ?? ''}`).toMatch(/^([0-9a-f-]{36}|[0-9a-f]{64}) ([0-9a-f]{64})?$/);
  });

  it('is shown without the addresses that earlier releases wrote as ids', async () => {
    const panel = await startPanel();
    const db = openDatabase(panel.directory.database);
    const [row] = panel.log.stored.rows(0, 1);
    const meta = JSON.stringify({
      actor: { kind: 'system', id: 'login', name: 'login' },
      correlation: `lock-out ${IPS[0]}`,
    });
    const columns = { ...row, meta, position: 1000, stream: 'old', version: 1 };
    db.prepare(
      `INSERT INTO events VALUES (${Object.keys(columns)
        .map((name) => `@${name}`)
        .join()})`,
    ).run(columns);
    const keyring = new Keyring(db, masterKey(panel.directory.masterKey, { mayCreate: false }), Date.now);
    const log = new SqliteEventLog(db, keyring);
    expect(log.at(1000)?.meta.correlationId).toBe(keyring.blind(`lock-out ${IPS[0]}`));
    log.close();
  });
});
