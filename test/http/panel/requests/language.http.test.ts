import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { message, verbatim } from '../../../../src/messages/message.js';
import { eventually } from '../../../kit/wait.js';
import { type Answer, startPanel } from '../../kit/panel.js';

const persian = { cookie: 'lang=fa-IR' };
const russian = { 'accept-language': 'de, ru;q=0.8, en;q=0.5' };

describe('an answer', () => {
  it('is in the language of the caller: messages, rejections and input errors', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const told = async (path: string, body: unknown, headers: Record<string, string> = russian) =>
      (await browser.post(path, body, headers)).json?.msg;
    expect(await told('/panel/api/inbounds/resetAllTraffics', {})).toBe('Весь трафик сброшен.');
    expect(await told('/panel/api/inbounds/del/77', {})).toBe('Входящего подключения 77 нет');
    expect(await told('/panel/api/inbounds/setEnable/1', { enable: 'x' })).toBe(
      'Неверные данные: enable: должно быть true или false (значение: «x»)',
    );
    expect(await told('/panel/setting/update', { webPort: 0, pageSize: 'x' })).toMatch(
      /^Настройка webPort: должно быть от 1 до 65535 \(значение: 0\); Настройка pageSize: должно быть целым числом \(значение: «x»\)$/,
    );
    expect(await told('/panel/core/wgprov/x', {}, { 'accept-language': 'fa' })).toBe(
      'ورودی درخواست معتبر نیست: \u2068\u2068action\u2069: \u2068\u2068باید یکی از این‌ها باشد: \u2068data\u2069، \u2068del\u2069، \u2068config\u2069، \u2068reg\u2069، \u2068license\u2069\u2069 (مقدار: «\u2068x\u2069»)\u2069\u2069',
    );
    // The names of several members are joined in the language of the caller.
    expect(await told('/panel/api/inbounds/updateClientTraffic/one', {})).toBe(
      'отправка и загрузка: нужно указать хотя бы одно из них',
    );
    expect(await told('/panel/setting/update', { wgprov: '[]', vpnprov: '{' })).not.toMatch(/object|list/);
    expect(await told('/panel/setting/update', { datepicker: 'x' })).toBe(
      'Настройка datepicker: должно быть одним из: gregorian, jalalian (значение: «x»)',
    );
  });

  it('has the same code in every language, also for a success, and none without a text', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const ask = async (path: string, headers: Record<string, string>) => (await browser.post(path, {}, headers)).json;
    for (const [headers, msg] of [
      [{ 'accept-language': 'en' }, 'Inbound 77 not found'],
      [russian, 'Входящего подключения 77 нет'],
    ] as const)
      expect(await ask('/panel/api/inbounds/del/77', headers)).toEqual({
        ...{ success: false, msg, obj: null },
        code: 'INBOUND_NOT_FOUND',
      });
    for (const headers of [{ 'accept-language': 'en' }, russian])
      expect(await ask('/panel/api/inbounds/resetAllTraffics', headers)).toMatchObject({
        ...{ success: true, code: 'inbound.allTrafficReset' },
      });
    const listed = (await browser.get('/panel/api/inbounds/list')).json;
    expect(listed).toMatchObject({ success: true, msg: '' });
    expect(listed).not.toHaveProperty('code');
  });

  it('has nested errors in the same language', async () => {
    const endpoints = [{ address: 'a:1', success: false, delay: 1, error: message('core.endpointRefused') }];
    const core = { listen: '', reason: message('core.notRunning'), values: null, observatory: [], updatedAt: 0 };
    const panel = await startPanel({
      parts: {
        probe: {
          dial: async () => ({
            success: false,
            delay: 0,
            mode: 'tcp',
            error: message('core.endpointRefused'),
            endpoints,
          }),
          request: async () => ({
            success: false,
            delay: 0,
            mode: 'http',
            error: message('core.requestFailed', { why: message('core.requestTimedOut') }),
          }),
        },
        gauges: { core, history: () => [], delays: () => null },
      },
    });
    const browser = await panel.browser().login();
    const test = async (body: object) => (await browser.post('/panel/core/testOutbound', body, russian)).json?.obj;
    const refused = 'В соединении отказано';
    expect(await test({ outbound: '{}', mode: 'tcp' })).toMatchObject({
      error: refused,
      endpoints: [{ error: refused }],
    });
    expect(await test({ outbound: '{}' })).toMatchObject({ error: 'Запрос не удался: это длилось слишком долго' });
    expect(await test({ outbound: '{' })).toMatchObject({ error: expect.stringMatching(/^Неверный JSON исходящего/) });
    const state = await browser.get('/panel/api/server/coreMetricsState', russian);
    expect(state.json?.obj).toMatchObject({ enabled: false, reason: 'Ядро не работает' });
  });

  it('has the headers Content-Language and Vary', async () => {
    const panel = await startPanel();
    const answer = await panel.browser().post('/login', { username: 'x', password: 'y' }, { ...persian, ...russian });
    expect(answer.json?.msg).toBe('نام کاربری، گذرواژه یا کد دو مرحله‌ای نادرست است.');
    expect(answer.headers.get('content-language')).toBe('fa');
    expect(answer.headers.get('vary')).toContain('Accept-Language, Cookie');
  });

  it.each([
    [
      '401',
      401,
      (panel: Panel) =>
        panel.browser().get('/panel/api/server/status', { ...russian, 'x-requested-with': 'XMLHttpRequest' }),
      'Сеанс истёк, войдите снова',
    ],
    [
      '403',
      403,
      async (panel: Panel) => (await panel.browser().login()).post('/logout', {}, { ...russian, 'x-csrf-token': 'no' }),
      /^CSRF-токен отсутствует/,
    ],
    [
      '400',
      400,
      (panel: Panel) =>
        panel.call('POST', '/login', { body: '{', headers: { ...russian, 'content-type': 'application/json' } }),
      'Тело запроса не является правильным JSON',
    ],
    [
      '413',
      413,
      (panel: Panel) => panel.call('POST', '/login', { body: 'x'.repeat(20_000), headers: russian }),
      'Тело запроса больше 8192 байт',
    ],
  ])('is in the language of the caller with status %s', async (_, status, ask, msg) => {
    const panel = await startPanel();
    const answer: Answer = await ask(panel);
    expect(answer.status).toBe(status);
    expect(answer.json?.msg).toMatch(msg);
  });

  it('is in English for an unsupported language and for hostile headers', async () => {
    const panel = await startPanel();
    for (const header of ['de', 'ru;q=0', `${'x'.repeat(9000)}`]) {
      const answer = await panel.browser().post('/login', { username: 'x' }, { 'accept-language': header });
      expect(answer.json?.msg).toBe('Password is required');
      expect(answer.headers.get('content-language')).toBe('en');
    }
  });
});

describe('the page', () => {
  it('has the language and its direction', async () => {
    const panel = await startPanel();
    const page = async (headers: Record<string, string>) => (await panel.browser().get('/', headers)).text;
    expect(await page(persian)).toMatch(/<html lang="fa" dir="rtl">/);
    expect(await page(russian)).toMatch(/<html lang="ru" dir="ltr">/);
    expect(await page({})).toMatch(/<html lang="en" dir="ltr">/);
  });
});

describe('a sentence with values', () => {
  it('has the times and sizes of the page for a caller with a time zone, and exact ones for others', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const client = { id: crypto.randomUUID(), email: 'ann', enable: true, totalGB: 2 * 1024 ** 3 };
    const terms = { ...client, expiryTime: Date.UTC(2031, 2, 20, 20, 25, 9) };
    const settings = JSON.stringify({ clients: [terms], decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const added = { protocol: 'vless', port: 4433, enable: true, settings, ...stream };
    expect((await browser.post('/panel/api/inbounds/add', added)).json?.success).toBe(true);
    const why = async (headers: Record<string, string>) =>
      (await browser.get('/panel/api/clients/ann/why', headers)).text.replaceAll(/[\u2068\u2069]/g, '');
    const exact = 'cap 2,147,483,648 bytes; expires at 2031-03-20 20:25:09Z';
    expect(await why({})).toContain(exact);
    expect(await why({ 'portolan-time-zone': 'Mars/Olympus' })).toContain(exact);
    expect(await why({ 'portolan-time-zone': 'Asia/Tehran' })).toMatch(/cap 2 GB; expires at Mar 20, 2031, 11:55.PM/);
    expect(await why({ 'accept-language': 'fa', 'portolan-time-zone': 'Asia/Tehran' })).toMatch(
      /۲ GB.*۲۹ اسفند ۱۴۰۹، ۲۳:۵۵/,
    );
  });
});

describe('a notification', () => {
  it('is in the language of the upgrade request of each socket', async () => {
    const panel = await startPanel();
    const { cookie } = await panel.browser().login();
    const heard = await Promise.all([
      hear(panel, { cookie: `${cookie}; lang=fa` }),
      hear(panel, { cookie, ...russian }),
      hear(panel, { cookie }),
    ]);
    panel.given({ type: 'RecordCoreFailed', data: { reason: verbatim('broken'), run: null } });
    const titles = () => heard.map((said) => said.find(({ type }) => type === 'notification')?.title);
    await eventually(() => expect(titles()).toStrictEqual(['هسته از کار افتاد', 'Сбой ядра', 'The core failed']));
  });
});

type Panel = Awaited<ReturnType<typeof startPanel>>;

async function hear(panel: Panel, headers: Record<string, string>) {
  const ws = new WebSocket(`ws://127.0.0.1:${panel.port}/ws`, { headers });
  const said: { readonly type: string; readonly title?: string }[] = [];
  ws.on('message', (data) => said.push(JSON.parse(String(data)) as { type: string; title?: string }));
  await once(ws, 'open');
  return said;
}
