import { describe, expect, it } from 'vitest';
import { SettingsChanged } from '../../../src/events/settings/settings.js';
import { startPanel } from '../kit/panel.js';

const actor = { kind: 'system', id: 'test', name: 'test', ip: null } as const;
const deep = (levels: number, kind: 'list' | 'object') =>
  kind === 'list' ? '['.repeat(levels) + ']'.repeat(levels) : `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** A panel whose log has settings that were stored when more was allowed. */
const start = async (changes: Record<string, string | boolean>) => {
  const panel = await startPanel({ settings: { subJsonEnable: true } });
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const headers = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };
  const body = {
    ...{ enable: true, remark: 'home', port: 4433, protocol: 'vless', sniffing: '' },
    settings: JSON.stringify({
      clients: [{ id: crypto.randomUUID(), email: 'one', subId: 'abc' }],
      decryption: 'none',
    }),
    streamSettings: JSON.stringify({ network: 'tcp', security: 'none' }),
  };
  const added = await panel.call('POST', '/panel/api/inbounds/add', { headers, body: JSON.stringify(body) });
  expect(added.json).toMatchObject({ success: true });
  panel.log.append([SettingsChanged({ changes })], { at: panel.now(), actor, correlationId: 'old' });
  const get = (path: string) => fetch(panel.subscriptions + path);
  return { panel, get };
};

describe('URLs that were stored before URLs were checked', () => {
  it('are neither in headers nor on the page, and are logged once', async () => {
    const script = 'javascript:alert(1)';
    const old = {
      ...{ subSupportUrl: ` ${script}`, subProfileUrl: 'data:text/html,x', subAnnounce: `See ${script}` },
      ...{ subRoutingRules: 'vbscript:x', subURI: '//evil.example', subJsonURI: script, subClashURI: script },
    };
    const { panel, get } = await start(old);
    for (const path of ['/sub/abc', '/json/abc', '/clash/abc', '/sub/abc?html=1&lang=en']) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      const all = JSON.stringify([...answer.headers]) + (await answer.text());
      expect(all).not.toMatch(/javascript:|vbscript:|data:text|evil|amF2YXNjcmlwdD/);
      for (const name of ['support-url', 'announce', 'routing']) expect(answer.headers.get(name)).toBeNull();
    }
    const browser = await panel.browser().login();
    const shown = JSON.stringify((await browser.post('/panel/setting/defaultSettings')).json?.obj);
    expect(shown).not.toMatch(/javascript|evil/);
    const warned = panel.complaints.filter(({ message }) => message.includes('no longer allowed'));
    expect(warned).toHaveLength(1);
    expect(Object.keys(old).every((key) => JSON.stringify(warned).includes(key))).toBe(true);
    expect(JSON.stringify(warned)).not.toContain('alert');
  });
});

describe('JSON that was stored before its depth was limited', () => {
  it.each([100, 5000, 30_000])('of %d levels is omitted, and every subscription works', async (levels) => {
    const { panel, get } = await start({
      subJsonMux: deep(Math.min(levels, 10_000), 'object'),
      subJsonFragment: deep(Math.min(levels, 10_000), 'object'),
      subJsonNoises: deep(levels, 'list'),
      subJsonRules: deep(levels, 'list'),
    });
    for (const path of ['/sub/abc', '/json/abc', '/clash/abc', '/sub/abc?format=sing-box', '/sub/abc?html=1']) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect((await answer.text()).length).toBeLessThan(20_000);
    }
    expect(panel.complaints.map(({ message }) => message)).toEqual([
      'subscriptions leave out settings that are no longer allowed',
    ]);
  });

  it('is rejected above the limit, and a deep template of allowed depth is not multiplied', async () => {
    const { panel, get } = await start({});
    const browser = await panel.browser().login();
    const update = (body: object) => browser.post('/panel/setting/update', body);
    for (const levels of [65, 3000, 5000]) {
      const { json } = await update({ subJsonRules: deep(levels, 'list'), subJsonMux: deep(levels, 'object') });
      expect(json).toMatchObject({ success: false, msg: expect.stringContaining('nested deeper than 64 levels') });
    }
    const rules = `${'['.repeat(60)}${'0,'.repeat(30_000)}0${']'.repeat(60)}`;
    expect((await update({ subJsonRules: rules })).json?.success).toBe(true);
    const { length } = await (await get('/json/abc')).text();
    expect(length).toBeLessThan(rules.length + 5000);
  });
});
