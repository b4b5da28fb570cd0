import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { verbatim } from '../../../../src/messages/message.js';
import { eventually } from '../../../kit/wait.js';
import type { Browser } from '../../kit/panel.js';
import { found, NEVER_SHOWN, panelWithSecrets, routes, SECRET } from '../../kit/panel-with-secrets.js';

const ALL = { ...SECRET, ...NEVER_SHOWN };
/** What each role may not read in a document. No role reads any secret by another channel. */
const READERS = [
  ['auditor', ALL],
  ['operator', NEVER_SHOWN],
] as const;

const objectOf = async (reader: Browser, method: string, path: string): Promise<Record<string, unknown>> =>
  ((await reader.send(method, path, method === 'POST' ? {} : undefined)).json as { obj: Record<string, unknown> }).obj;

/** Routes that run something on the machine or elsewhere, or that end the panel. */
const LEFT_OUT = /restart|stop|install|updatePanel|Geofile|custom-geo|cluster|testOutbound|proof|nodes\/test/;
/** The answer says what is wrong with what a reader without the secrets can send. */
const MAY_BE_REFUSED = /checkCertificate|inbounds\/check|nodes|webhooks/;

/** A body as the web panel sends it, made of what the reader can see. */
async function bodyOf(reader: Browser, path: string): Promise<object> {
  if (/clients\/(search|export)$/.test(path)) return { search: 'n', state: 'all', sort: 'email', limit: 50 };
  if (/inbounds\/(check|preview)$/.test(path)) {
    const {
      version: _,
      machine: __,
      clients: ___,
      ...form
    } = await objectOf(reader, 'GET', '/panel/api/inbounds/overview/1');
    return { ...form, remark: 'draft' };
  }
  if (path.includes('/logs/')) return { level: 'debug', syslog: 'false' };
  if (path.includes('/corelogs/')) return { filter: '', showDirect: 'true', showBlocked: 'true', showProxy: 'true' };
  if (path.endsWith('/checkCertificate')) return { certFile: '/nowhere/cert.pem', keyFile: '/nowhere/key.pem' };
  if (/(xray|core)\/check$/.test(path)) {
    const { coreSetting } = await objectOf(reader, 'POST', '/panel/api/xray/');
    return { coreSetting };
  }
  return {};
}

describe.each(READERS)('the secrets that a role may not read, as %s', (role, secrets) => {
  it('are in no answer to a POST that reads, with a body as the web panel sends it', { timeout: 120_000 }, async () => {
    const { as } = await panelWithSecrets();
    const reader = await as(role);
    const leaks: string[] = [];
    const unanswered: string[] = [];
    let asked = 0;
    for (const { method, path: route, permission } of routes) {
      const reads = permission?.action === 'read' || permission?.action === 'run';
      if (method !== 'POST' || !reads || LEFT_OUT.test(route)) continue;
      for (const path of route.includes(':email')
        ? ['ann', 'bob'].map((email) => route.replace(':email', email))
        : [route]) {
        const filled = path.replace(':count', '50').replace(':id', '1');
        const { status, text, json } = await reader.post(filled, await bodyOf(reader, filled));
        if (status === 403) continue;
        asked += 1;
        leaks.push(...found(text, secrets).map((name) => `${name} in ${filled}`));
        if (json?.success === false && !MAY_BE_REFUSED.test(filled)) unanswered.push(`${filled}: ${text}`);
      }
    }
    expect(leaks).toStrictEqual([]);
    expect(unanswered).toStrictEqual([]);
    expect(asked).toBeGreaterThan(12);
  });

  it('are in no push and no event, whatever changes', { timeout: 120_000 }, async () => {
    const { panel, owner, as } = await panelWithSecrets();
    const reader = await as(role);
    const ws = new WebSocket(`ws://127.0.0.1:${panel.port}/ws`, { headers: { cookie: reader.cookie } });
    onTestFinished(() => ws.terminate());
    const pushed: string[] = [];
    ws.on('message', (data) => pushed.push(String(data)));
    await once(ws, 'open');
    await changeEverything(owner);
    panel.tick();
    panel.alarms.notify({ title: verbatim('a title'), body: verbatim('a text'), severity: 'warning' });
    panel.given({ type: 'RecordCoreFailed', data: { reason: verbatim('the port is taken'), run: null } });
    const kinds = () => new Set(pushed.map((text) => (JSON.parse(text) as { type: string }).type));
    await eventually(() => expect(kinds()).toContain('xrayState'));
    await eventually(() => expect(kinds()).toContain('invalidate'));
    expect(found(pushed.join('\n'), ALL)).toStrictEqual([]);

    const events: string[] = [];
    for (let after = 0; ; ) {
      const answer = await reader.get(`/panel/api/events?after=${after}&limit=50`);
      const { obj } = answer.json as { obj: { events: { type: string }[]; next: number; head: number } };
      events.push(...obj.events.map(({ type }) => type));
      expect(found(answer.text, ALL)).toStrictEqual([]);
      if (obj.next >= obj.head) break;
      after = obj.next;
    }
    for (const type of ['InboundReconfigured', 'ClientCredentialRotated', 'WebhookAdded', 'CoreTemplateChanged'])
      expect(events).toContain(type);
    for (const path of ['/panel/api/audit/page', '/panel/api/audit/export', '/panel/api/diff?from=1'])
      expect(found((await reader.get(path)).text, ALL), path).toStrictEqual([]);
  });
});

describe('a dry run of an operator', () => {
  it('names what would change without the secrets', async () => {
    const { as } = await panelWithSecrets();
    const operator = await as('operator');
    const form = await objectOf(operator, 'GET', '/panel/api/inbounds/overview/3');
    const settings = { auth: 'password', accounts: [{ user: 'sue', pass: 'another' }] };
    const { status, text } = await operator.post('/panel/api/inbounds/update/3?dryRun=true', { ...form, settings });
    expect({ status, isDecided: text.includes('InboundReconfigured') }).toStrictEqual({ status: 200, isDecided: true });
    expect(found(text, { ...ALL, another: 'another' })).toStrictEqual([]);
  });
});

/** Changes of documents with secrets, by the owner. */
async function changeEverything(owner: Browser): Promise<void> {
  const must = async (path: string, body: object) => {
    const answer = await owner.post(path, body);
    expect(answer.json, answer.text).toMatchObject({ success: true });
  };
  const form = await objectOf(owner, 'GET', '/panel/api/inbounds/overview/3');
  const settings = { auth: 'password', accounts: [{ user: 'sue', pass: `${SECRET.account}-2` }] };
  await must('/panel/api/inbounds/update/3', { ...form, settings });
  const client = { password: `${SECRET.trojan}-2`, email: 'bob', subId: `${SECRET.subId}-2`, enable: true };
  await must(`/panel/api/inbounds/updateClient/${SECRET.trojan}`, {
    id: 2,
    settings: JSON.stringify({ clients: [client] }),
  });
  const { coreSetting } = await objectOf(owner, 'POST', '/panel/api/xray/');
  const changed = String(coreSetting).replaceAll(SECRET.wireguard, `${SECRET.wireguard}-2`);
  await must('/panel/api/xray/update', { coreSetting: changed });
  await must('/panel/api/webhooks/add', { name: 'two', url: `https://hooks.example/${SECRET.webhook}-2`, types: [] });
  await must('/panel/setting/secret', { key: 'ldapPassword', value: `${NEVER_SHOWN.ldapPassword}-2` });
}
