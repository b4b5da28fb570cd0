import { describe, expect, it } from 'vitest';
import { startPanel } from '../../kit/panel.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const TWICE = '{"a":{"b":1,"b":2}}';
const inbound = { port: 30_001, protocol: 'vless', settings: '{"clients":[]}', streamSettings: '{"network":"tcp"}' };
const clients = '{"clients":[{"id":"0c8bd3a6-1f5a-4d6a-9a33-0f2f8f4bb7a1","email":"a","email":"b"}]}';

/** A panel whose admin sends raw bodies. */
async function start() {
  const panel = await startPanel();
  const browser = await panel.browser().login();
  const send = async (path: string, body: string, headers: Record<string, string>) => {
    const all = { cookie: browser.cookie, 'x-csrf-token': browser.token, ...headers };
    const { status, json } = await panel.call('POST', path, { headers: all, body });
    expect(json?.success).toBe(false);
    expect(panel.appended()).toEqual([]);
    return { status, msg: json?.msg };
  };
  return {
    json: (path: string, body: string) => send(path, body, { 'content-type': 'application/json' }),
    form: (path: string, body: string) => send(path, body, FORM),
  };
}

describe('a duplicate key of an object', () => {
  it('is rejected with its path in a JSON body', async () => {
    const { json } = await start();
    const msg = 'The body has the key port twice';
    expect(await json('/panel/api/inbounds/add', '{"port":1,"protocol":"vless","port":2}')).toEqual({
      status: 400,
      msg,
    });
    const template = '{"coreSetting":{"routing":{"rules":[{},{"type":"field","type":"x"}]}}}';
    expect((await json('/panel/core/update', template)).msg).toBe(
      'The body has the key coreSetting.routing.rules.1.type twice',
    );
  });

  it.each([
    ['/panel/api/inbounds/add', { ...inbound, settings: clients }, 'settings: has the key clients.0.email twice'],
    ['/panel/api/inbounds/add', { ...inbound, streamSettings: TWICE }, 'streamSettings: has the key a.b twice'],
    ['/panel/api/inbounds/add', { ...inbound, sniffing: TWICE }, 'sniffing: has the key a.b twice'],
    ['/panel/api/inbounds/update/1', { ...inbound, settings: TWICE }, 'settings: has the key a.b twice'],
    ['/panel/api/inbounds/addClient', { id: 1, settings: clients }, 'settings: has the key clients.0.email twice'],
    ['/panel/api/inbounds/updateClient/x', { id: 1, settings: clients }, 'settings: has the key clients.0.email twice'],
    ['/panel/api/inbounds/import', { data: TWICE }, 'data: has the key a.b twice'],
    [
      '/panel/api/inbounds/import',
      { data: JSON.stringify({ ...inbound, settings: clients }) },
      'data.settings: has the key clients.0.email twice',
    ],
    ['/panel/core/update', { coreSetting: TWICE }, 'coreSetting: has the key a.b twice'],
    ['/panel/setting/update', { subJsonMux: TWICE }, 'Setting subJsonMux: has the key a.b twice'],
    ['/panel/setting/update', { subJsonRules: `[${TWICE}]` }, 'Setting subJsonRules: has the key 0.a.b twice'],
  ])('is rejected with its path inside a JSON string: %s %j', async (path, body, msg) => {
    const { json } = await start();
    const answer = await json(path, JSON.stringify(body));
    expect(answer.msg).toContain(msg);
  });

  it('is reported as the result of an outbound test', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const { json } = await browser.post('/panel/core/testOutbound', { outbound: TWICE });
    expect(json?.obj).toMatchObject({ success: false, error: 'Invalid outbound JSON: it has the key a.b twice' });
  });
});

describe('a duplicate field of a form', () => {
  it.each([
    ['/panel/api/inbounds/add', 'port=1&protocol=vless&port=2', 'port: must be a whole number'],
    ['/panel/api/inbounds/add', 'port=1&protocol=vless&settings={}&settings={}', 'settings: must be a JSON object'],
    ['/panel/api/inbounds/add', 'port=1&protocol=vless&remark=a&remark=b', 'remark: must be a string'],
    ['/panel/api/inbounds/add', 'port=1&protocol=vless&enable=true&enable=false', 'enable: must be true or false'],
    ['/panel/setting/update', 'webPort=1000&webPort=2000', 'Setting webPort: must be a whole number'],
    ['/login', 'username=admin&username=other&password=correct+horse', 'username: must be a string'],
  ])('is a list, which is rejected where a single value is expected: %s %s', async (path, body, msg) => {
    const { form } = await start();
    expect((await form(path, body)).msg).toContain(msg);
  });
});
