import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Admin, must } from '../kit/real/panel-admin.js';
import { freePort } from '../kit/real/ports.js';

let server: Server;
let base: string;
const seen: string[] = [];

/** A panel reduced to its endpoint: a token and a cookie before login, others after it. */
beforeAll(async () => {
  let session = 'none';
  server = createServer((request, response) => {
    const cookie = request.headers.cookie ?? '-';
    const token = String(request.headers['x-csrf-token'] ?? '-');
    seen.push(`${request.method} ${request.url} ${cookie} ${token} ${request.headers.authorization ?? '-'}`);
    const send = (value: unknown, setCookie?: string) =>
      response
        .writeHead(200, {
          'content-type': 'application/json',
          ...(setCookie === undefined ? {} : { 'set-cookie': setCookie }),
        })
        .end(JSON.stringify(value));
    if (request.url === '/base/csrf-token') {
      send({ success: true, obj: `csrf-${session}` }, session === 'none' ? 'sid=guest; Path=/; HttpOnly' : undefined);
    } else if (request.url === '/base/login') {
      session = 'user';
      send({ success: true, msg: 'in', obj: null }, 'sid=user; Path=/');
    } else if (request.url === '/base/empty') response.writeHead(404).end();
    else send({ success: request.url !== '/base/no', msg: 'reason', obj: 5 });
  });
  const port = await freePort('tcp');
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${port}/base/`;
});

afterAll(() => server.close());

it('the admin client logs in, gets a new CSRF token, and sends cookie and token with later requests', async () => {
  const admin = new Admin(base, { username: 'u', password: 'p' });
  expect(await admin.login()).toMatchObject({ success: true, msg: 'in' });
  expect(await must(admin.form<number>('/form', { a: 'b c' }))).toBe(5);
  await admin.get('/list');
  await admin.bearer('T').post('/add', {});
  expect(seen).toEqual([
    'GET /base/csrf-token - - -',
    'POST /base/login sid=guest csrf-none -',
    'GET /base/csrf-token sid=user - -',
    'POST /base/form sid=user csrf-user -',
    'GET /base/list sid=user - -',
    'POST /base/add - - Bearer T',
  ]);
});

it('the admin client throws on a rejection only on request, and reports a reply that is no envelope', async () => {
  const admin = new Admin(base, { token: 'T' });
  expect(await admin.post('/no')).toEqual({ success: false, msg: 'reason', obj: 5 });
  await expect(must(admin.post('/no'))).rejects.toThrow('reason');
  await expect(admin.get('/empty')).rejects.toThrow('GET /empty: HTTP 404');
});
