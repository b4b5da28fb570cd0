import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { makeCertificate, type TestCertificate } from '../kit/real/certificate.js';
import { startChild } from '../kit/real/children.js';
import { startClientCore } from '../kit/real/client-core.js';
import { coreBinary, withoutCore } from '../kit/real/core-process.js';
import { untilComplete } from '../kit/real/expect-transfer.js';
import { inboundCase, makeClient, makeContext } from '../kit/real/inbounds.js';
import {
  Admin,
  must,
  type PanelProcess,
  panelPorts,
  processesOf,
  startPanel,
  storeTemplate,
} from '../kit/real/panel-process.js';
import { PROXY_HOST, proxyNames, startProxy, withoutProxy } from '../kit/real/servers/proxies.js';
import { download, moved, startTransfer } from '../kit/real/socks.js';
import { startTargets } from '../kit/real/targets.js';
import { corePid } from './servers.js';
import { addInbound, entryOf, headOf, recorded, template, until } from './support.js';

const SUITE = 'the guides';
const unit = readFileSync(join('deploy', 'portolan.service'), 'utf8');
const BASE = '/a-secret-path';
/** An address of this machine that is no trusted proxy. */
const CALLER = '127.0.0.2';

/** The commands of a guide that are marked as runnable, block by block. */
function blocksOf(guide: string): string[] {
  const text = readFileSync(join('docs', guide), 'utf8');
  return [...text.matchAll(/^```sh test\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** The running child processes of a process. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const scratch = mkdtempSync(join(tmpdir(), 'portolan-e2e-guides-'));
  const control = createServer((req, res) => {
    const [verb = '', ...options] = (req.url ?? '').slice(1).split('/');
    systemctl(verb, options).then(
      () => res.end(),
      (error: unknown) => res.writeHead(500).end(String(error)),
    );
  });
  let panel: PanelProcess;
  let dataDir: string;
  /** Stops the first panel, and removes the data directory. */
  let cleanUp: () => Promise<void>;

  /** Does with the panel of this test what systemd does with the unit. */
  async function systemctl(verb: string, options: readonly string[]): Promise<void> {
    const signalled = async (signal: string, proof: 'PanelRestarted' | 'PanelStarted'): Promise<void> => {
      const done = () => recorded(dataDir, proof).length;
      const before = done();
      panel.kill(`SIG${signal}` as NodeJS.Signals);
      await until(`${proof} after ${signal}`, () => done() > before);
    };
    if (verb === 'reload') {
      const [, signal = ''] = /^ExecReload=\/bin\/kill -(\w+) \$MAINPID$/m.exec(unit) ?? [];
      return signalled(signal, 'PanelRestarted');
    }
    if (verb === 'kill') {
      const [, signal = ''] = /^--signal=(\w+)$/.exec(options[0] ?? '') ?? [];
      // Any other process of the unit, including the core, would end.
      expect(options.slice(1)).toEqual(['--kill-whom=main']);
      return signalled(signal, 'PanelStarted');
    }
    expect([verb, options]).toEqual([expect.stringMatching(/^(start|stop|restart)$/), []]);
    if (verb !== 'start') await panel.stop();
    if (verb !== 'stop') panel = await startPanel({ dataDir, ports: panel.ports, launcher: true });
  }

  /** Runs one block of the guide unchanged, in the environment of this test. */
  async function run(block: string): Promise<{ code: number | null; text: string }> {
    const address = control.address();
    const at = typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : '';
    const { ports } = panel;
    const here = block
      .replaceAll('/var/lib/portolan', dataDir)
      .replaceAll('127.0.0.1:2053', `127.0.0.1:${ports.panel}`)
      .replaceAll('127.0.0.1:2054', `127.0.0.1:${ports.ops}`);
    const commands = [
      `portolan() { "${process.execPath}" "${join(process.cwd(), 'dist', 'main.js')}" "$@"; }`,
      // The verb, its options, and the unit.
      `systemctl() { test "\${@: -1}" = portolan && curl -sf "${at}/$(IFS=/; echo "\${*:1:$#-1}")"; }`,
      here,
    ];
    const child = startChild('bash', ['-euo', 'pipefail', '-c', commands.join('\n')], {
      cwd: scratch,
      env: {
        PATH: process.env['PATH'],
        PORTOLAN_DATA_DIR: dataDir,
        PORTOLAN_CORE_BIN: coreBinary(),
        PORTOLAN_HOST: '127.0.0.1',
        PORTOLAN_PORT: String(ports.panel),
        PORTOLAN_SUB_HOST: '127.0.0.1',
        PORTOLAN_SUB_PORT: String(ports.sub),
      },
    });
    const { code } = await child.exited;
    return { code, text: `${child.stdout()}${child.stderr()}` };
  }

  async function works(guide: string, blocks = blocksOf(guide)): Promise<string> {
    expect(blocks).not.toEqual([]);
    let said = '';
    for (const block of blocks) {
      const { code, text } = await run(block);
      expect(code, `${guide}:\n${block}\n${text}`).toBe(0);
      said += text;
    }
    return said;
  }

  beforeAll(async () => {
    await once(control.listen(0, '127.0.0.1'), 'listening');
    panel = await startPanel({ ports: await panelPorts(), launcher: true });
    ({ dataDir, cleanUp } = panel);
    await until('the core runs', () => recorded(dataDir, 'CoreStarted').length > 0);
  });
  afterAll(async () => {
    await panel?.stop();
    await cleanUp?.();
    control.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  it('install a panel whose health checks pass', async () => {
    const said = await works('install.md');
    expect(said).not.toMatch(/^BAD/m);
    expect(said).toMatch(/^ok {3}chain: /m);
    expect(said).toMatch(/^ok\nready\nready$/m);
  });

  it('put the panel behind a proxy: it moves to its base path', async () => {
    await works('reverse-proxy.md');
    expect((await fetch(`${panel.url}/`)).status).toBe(404);
    expect((await fetch(`${panel.url}${BASE}/`)).status).toBe(200);
  });

  describe.each(proxyNames)('the sample for %s', (name) => {
    describe.skipIf(withoutProxy(name))('run unchanged', () => {
      let certificate: TestCertificate;
      let proxy: Awaited<ReturnType<typeof startProxy>>;
      const cookies = new Map<string, string>();

      beforeAll(async () => {
        certificate = await makeCertificate([PROXY_HOST]);
        proxy = await startProxy(name, { panelPort: panel.ports.panel, subPort: panel.ports.sub, certificate });
      });
      afterAll(async () => {
        await proxy?.stop();
        certificate?.remove();
      });

      const cookie = () => [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
      const way = () => ({
        ...{ host: '127.0.0.1', port: proxy.port, servername: PROXY_HOST, localAddress: CALLER, agent: false as const },
        ...{ rejectUnauthorized: false, timeout: 60_000 },
        headers: { host: PROXY_HOST, 'x-forwarded-for': '203.0.113.9', cookie: cookie() },
      });

      /** A request of a browser with a forged address; resolves with the body, or with its first part. */
      function ask(path: string, { body = '', headers = {}, part = false } = {}) {
        const options = { ...way(), path, method: body === '' ? 'GET' : 'POST' };
        return new Promise<{ status: number; text: string; set: readonly string[] }>((resolve, reject) => {
          const req = request({ ...options, headers: { ...options.headers, ...headers } }, (res) => {
            let text = '';
            const set = res.headers['set-cookie'] ?? [];
            const end = (): void => resolve({ status: res.statusCode ?? 0, text, set });
            for (const [, key = '', value = ''] of set.map((line) => /^([^=]+)=([^;]*)/.exec(line) ?? []))
              cookies.set(key, value);
            res.setEncoding('utf8').on('data', (data: string) => {
              text += data;
              if (part) {
                end();
                req.destroy();
              }
            });
            res.on('end', end);
          });
          req.on('error', reject).on('timeout', () => req.destroy(new Error(`${path}: no answer`)));
          req.end(body);
        });
      }

      it('shows the page only under its path', async () => {
        expect((await ask(`${BASE}/`)).status).toBe(200);
        expect((await ask('/')).status).toBe(404);
        expect((await ask('/login')).status).toBe(404);
      });

      it('forwards the real address of the client, and that it used TLS', async () => {
        const start = headOf(dataDir);
        const csrf = JSON.parse((await ask(`${BASE}/csrf-token`)).text) as { obj: string };
        const { username, password } = panel;
        const { text, set } = await ask(`${BASE}/login`, {
          body: JSON.stringify({ username, password }),
          headers: {
            ...{ 'content-type': 'application/json', 'x-csrf-token': csrf.obj },
            ...{ origin: `https://${PROXY_HOST}`, 'sec-fetch-site': 'same-origin' },
          },
        });
        expect(JSON.parse(text)).toMatchObject({ success: true });
        expect(set.join('\n')).toMatch(/; Secure/);
        expect(recorded(dataDir, 'LoggedIn', start).map(({ meta }) => meta.actor.ip)).toEqual([CALLER]);
      });

      it('passes WebSocket messages and the event stream on without delay', async () => {
        const url = `wss://127.0.0.1:${proxy.port}${BASE}/ws`;
        const options = { ...way(), headers: { ...way().headers, origin: `https://${PROXY_HOST}` } };
        const socket = new WebSocket(url, options);
        const [message] = (await once(socket, 'message', { signal: AbortSignal.timeout(60_000) })) as [Buffer];
        socket.terminate();
        expect(JSON.parse(message.toString())).toHaveProperty('type');
        const stream = await ask(`${BASE}/panel/api/events?after=0`, {
          headers: { accept: 'text/event-stream' },
          part: true,
        });
        expect(stream.text).toMatch(/^event: log$/m);
      });

      it('serves subscriptions', async () => {
        const admin = new Admin(`${panel.url}${BASE}`, { username: panel.username, password: panel.password });
        await must(admin.login());
        const client = makeClient();
        const context = makeContext({
          certificate: { certFile: '', keyFile: '', certPem: '', keyPem: '', pin: '', remove: () => {} },
          ...{ realityTarget: '127.0.0.1:1', targetPort: 1 },
        });
        await addInbound(admin, inboundCase(context, 'vless-tcp'), [client]);
        const { status, text } = await ask(`/sub/${client.subId}`);
        expect(status).toBe(200);
        expect(Buffer.from(text, 'base64').toString()).toContain(client.id);
      });
    });
  });

  it('configure a panel and read its log', async () => {
    expect(await works('configuration.md')).toContain('PORTOLAN_SUB_PORT');
    expect(await works('cli.md')).toContain('SettingsChanged');
    expect(await works('troubleshooting.md')).toContain('same digest');
  });

  it('harden a panel', async () => {
    const said = await works('hardening.md');
    expect(said).toContain(`PORTOLAN_BASE_PATH=${BASE}/  (the setting webBasePath)`);
    expect(said).toContain('"position"');
  });

  it('upgrade a panel while a download continues through the same core', async () => {
    const [before = '', upgrade = ''] = blocksOf('upgrade.md');
    await works('upgrade.md', [before]);
    const targets = await startTargets();
    const admin = new Admin(`${panel.url}${BASE}`, { username: panel.username, password: panel.password });
    await must(admin.login());
    await storeTemplate(admin, template(targets));
    const alice = makeClient();
    const context = makeContext({ ...targets, targetPort: targets.port });
    const added = await addInbound(admin, inboundCase(context, 'vless-tcp'), [alice]);
    const client = await startClientCore([await entryOf(panel, added, alice)]);
    const small = () => download(client.socksPort(0), `${targets.url}/small`);
    await untilComplete('the inbound runs', small);
    const flow = startTransfer(client.socksPort(0), `${targets.url}/slow?rate=50000`);
    await moved(flow, 1);
    const [head, core, [first = 0]] = [headOf(dataDir), corePid(panel), childrenOf(panel.pid)];
    await works('upgrade.md', [upgrade]);
    // A new panel and the same core, without any interruption.
    await moved(flow, flow.bytes() + 1);
    expect([flow.ended(), corePid(panel)]).toEqual([false, core]);
    expect(recorded(dataDir, 'CoreStarted', head).map(({ data }) => data.reason)).toEqual(['adopted']);
    expect(recorded(dataDir, 'CoreStopped', head)).toEqual([]);
    expect(childrenOf(panel.pid)).toEqual([expect.any(Number)]);
    expect(childrenOf(panel.pid)).not.toEqual([first]);
    flow.stop();
    await Promise.all([client.stop(), targets.stop()]);
  });

  it('downgrade a panel, even if a newer release wrote to its log', async () => {
    const [back = '', ...others] = blocksOf('upgrade.md').slice(2);
    expect(others).toEqual([]);
    await panel.stop();
    expect(processesOf(dataDir)).toEqual([]);
    const db = new Database(join(dataDir, 'events.db'));
    db.pragma('user_version = 99');
    db.close();
    await expect(startPanel({ dataDir, ports: panel.ports })).rejects.toThrow(
      'the database was written by a newer release',
    );
    await works('upgrade.md', [back]);
    expect(recorded(dataDir, 'StateImported')).toHaveLength(1);
    expect((await fetch(`${panel.url}${BASE}/`)).status).toBe(200);
  });
});
