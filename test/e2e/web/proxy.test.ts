import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type TestBrowser } from '../../kit/real/browser.js';
import { chromiumFor } from '../../kit/real/chromium.js';
import { must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { watchedPage } from '../../kit/real/web-session.js';
import { registeredScreens, settled } from './walk.js';

const found = chromiumFor('the test of the web panel behind a reverse proxy');
const PREFIX = '/apps/a-secret-path/';

/** A reverse proxy that passes one prefix to the panel, as beside other applications on one name. */
async function startProxy(port: number, outside: string[]): Promise<Server> {
  const isOurs = ({ url = '' }: IncomingMessage): boolean => {
    const isInside = url.startsWith(PREFIX);
    if (!isInside) outside.push(url);
    return isInside;
  };
  const target = { host: '127.0.0.1', port };
  const proxy = createServer((req, res) => {
    if (!isOurs(req)) return void res.writeHead(404).end();
    const { method, url, headers } = req;
    const passed = request({ ...target, method, path: url, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    passed.on('error', () => res.destroy());
    req.pipe(passed);
  });
  proxy.on('upgrade', (req: IncomingMessage, socket: Duplex) => {
    if (!isOurs(req)) return void socket.destroy();
    const upstream = connect(port, target.host, () => {
      const lines = req.rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${req.rawHeaders[at + 1]}`] : []));
      upstream.write(`GET ${req.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return proxy;
}

describe.skipIf(found === null)('the web panel behind a reverse proxy with a path prefix', () => {
  let panel: PanelProcess;
  let proxy: Server;
  let browser: TestBrowser;
  const outside: string[] = [];

  beforeAll(async () => {
    panel = await startPanel({ env: { PORTOLAN_BASE_PATH: PREFIX } });
    proxy = await startProxy(panel.ports.panel, outside);
    browser = await openBrowser(found ?? '');
  });

  afterAll(async () => {
    await browser?.close();
    proxy?.closeAllConnections();
    proxy?.close();
    await panel?.cleanUp();
  });

  it('requests nothing outside its prefix, and receives live updates', async () => {
    const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const complaints: string[] = [];
    const page = await watchedPage(await browser.newContext({ locale: 'en' }), complaints);
    const foreign: string[] = [];
    page.on('request', (sent) => {
      if (!sent.url().startsWith(origin + PREFIX) && !sent.url().startsWith('blob:')) foreign.push(sent.url());
    });
    await page.goto(`${origin}${PREFIX}#/inbounds`);
    await page.getByLabel('User name').fill(panel.username);
    await page.locator('input[name=password]').fill(panel.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Inbounds' }).waitFor();
    for (const screen of await registeredScreens(page)) {
      await page.goto(`${origin}${PREFIX}#/${screen}`);
      await settled(page);
    }
    await page.goto(`${origin}${PREFIX}#/inbounds`);
    const settings = JSON.stringify({ clients: [], decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream, remark: 'Harbour' };
    await must((await panel.admin()).post('/panel/api/inbounds/add', { ...inbound, port: await freePort() }));
    await page.getByText('Harbour').first().waitFor();
    expect({ foreign, outside, complaints }).toStrictEqual({ foreign: [], outside: [], complaints: [] });
  });
});
