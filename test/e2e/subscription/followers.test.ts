import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate, type TestCertificate } from '../../kit/real/certificate.js';
import {
  type Admin,
  cli,
  must,
  type PanelPorts,
  type PanelProcess,
  panelPorts,
  processesOf,
  startPanel,
} from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { ask, startMovable } from '../servers.js';
import { pause, until } from '../support.js';

const NO_CORE = '/nowhere/xray';
const ENV = { PORTOLAN_SUB_PROCESSES: '1' };
const CONNECTIONS = 4;

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request for a subscription; on a connection of its own without `agent`. */
function get(panel: PanelProcess, path: string, headers: Record<string, string> = {}, agent?: Agent): Promise<Got> {
  return new Promise((resolve, reject) => {
    const options = { headers, timeout: 60_000, agent: agent ?? false } as const;
    const req = request(panel.subUrl + path, options, (res) => {
      let body = '';
      res.setEncoding('latin1').on('data', (data: string) => (body += data));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body }));
      res.on('error', reject);
    });
    req.on('error', reject).end();
  });
}

/** The follower processes of a panel. */
function followersOf({ dataDir }: Pick<PanelProcess, 'dataDir'>): number[] {
  return processesOf(dataDir).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('followers/follower');
    } catch {
      return false;
    }
  });
}

async function figure(panel: PanelProcess, name: string): Promise<number> {
  const text = await (await fetch(`${panel.opsUrl}/metrics`)).text();
  return Number(new RegExp(`^portolan_subscription_follower_${name}\\{follower="0"\\} (\\d+)$`, 'm').exec(text)?.[1]);
}

/** Waits until only a follower answers, which shows when the panel itself is stopped. Returns its process. */
async function following(panel: PanelProcess): Promise<number> {
  await get(panel, '/sub/start');
  return until('a follower answers', async () => {
    if ((await figure(panel, 'up')) !== 1) return null;
    process.kill(panel.pid, 'SIGSTOP');
    try {
      const answer = await Promise.race([get(panel, '/sub/unknown'), pause(1000)]);
      return answer ? followersOf(panel)[0] : null;
    } finally {
      process.kill(panel.pid, 'SIGCONT');
    }
  });
}

const client = (n: number, over: object = {}) => ({
  ...{ id: randomUUID(), email: `client-${n}@example.org`, subId: `subscription-${n}`, enable: true },
  ...over,
});

async function addInbound(admin: Admin, clients: readonly object[], over: object = {}): Promise<{ id: number }> {
  return must(
    admin.post<{ id: number }>('/panel/api/inbounds/add', {
      ...{ remark: 'first', port: await freePort(), protocol: 'vless', enable: true, sniffing: '{}' },
      settings: JSON.stringify({ clients, decryption: 'none' }),
      streamSettings: '{"network":"tcp","security":"none"}',
      ...over,
    }),
  );
}

describe('a subscription that a follower answers', () => {
  let panel: PanelProcess;
  let admin: Admin;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const clients = [1, 2, 3].map((n) => client(n));
  const [first, second, third] = clients;
  let inbound: { id: number };

  beforeAll(async () => {
    panel = await startPanel({ coreBin: NO_CORE, env: ENV });
    admin = await panel.admin();
    inbound = await addInbound(admin, clients);
    await following(panel);
  });
  afterAll(async () => {
    agent.destroy();
    await panel?.cleanUp();
  });

  /** On an open connection and on a new one. */
  async function both(path: string): Promise<Got> {
    const [open, fresh] = [await get(panel, path, {}, agent), await get(panel, path)];
    expect([fresh.status, fresh.body]).toStrictEqual([open.status, open.body]);
    return open;
  }
  const plain = (n: number): Promise<Got> => both(`/sub/subscription-${n}?format=plain`);
  const update = (one: { id: string } | undefined, over: object) =>
    must(
      admin.post(`/panel/api/inbounds/updateClient/${one?.id}`, {
        id: inbound.id,
        settings: JSON.stringify({ clients: [{ ...one, ...over }] }),
      }),
    );

  it('shows each change as soon as the panel has answered', async () => {
    expect((await plain(1)).body).toContain('client-1');
    for (let round = 0; round < 20; round += 1) {
      await update(first, { email: `renamed-${round}@example.org` });
      expect((await plain(1)).body).toContain(`renamed-${round}`);
    }
    await update(second, { enable: false });
    expect((await plain(2)).status).toBe(404);
    await update(second, { enable: true });
    expect((await plain(2)).status).toBe(200);
    await must(admin.post(`/panel/api/inbounds/updateClientTraffic/${third?.email}`, { upload: 1000, download: 2000 }));
    expect((await plain(3)).headers['subscription-userinfo']).toContain('upload=1000; download=2000');
    await must(admin.post(`/panel/api/inbounds/${inbound.id}/resetClientTraffic/${third?.email}`));
    expect((await plain(3)).headers['subscription-userinfo']).toContain('upload=0; download=0');
    await must(admin.post('/panel/setting/update', { subTitle: 'Harbour', remarkModel: '-e' }));
    expect((await plain(3)).headers['profile-title']).toBe(`base64:${Buffer.from('Harbour').toString('base64')}`);
    await must(admin.post('/panel/setting/update', { subDomain: '' }));
    const { port } = await must(admin.get<{ port: number }>(`/panel/api/inbounds/get/${inbound.id}`));
    expect((await plain(3)).body).toContain(`:${port}?`);
    const streamSettings = JSON.stringify({
      ...{ network: 'tcp', security: 'none' },
      externalProxy: [{ forceTls: 'same', dest: 'relay.example.org', port: 8443, remark: '' }],
    });
    const settings = JSON.stringify({ clients: [third], decryption: 'none' });
    await must(
      admin.post(`/panel/api/inbounds/update/${inbound.id}`, {
        ...{ remark: 'second', port, protocol: 'vless', enable: true, sniffing: '{}', settings, streamSettings },
      }),
    );
    expect((await plain(3)).body).toContain('@relay.example.org:8443?');
    await must(admin.post(`/panel/api/inbounds/${inbound.id}/delClient/${third?.id}`));
    expect((await plain(3)).status).toBe(404);
  });

  it('is limited for guesses in all processes together', async () => {
    const statuses: number[] = [];
    for (let guess = 0; guess < 70; guess += 1) statuses.push((await get(panel, `/sub/guess-${guess}`)).status);
    expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(65);
    const [pid = 0] = followersOf(panel);
    process.kill(pid, 'SIGKILL');
    // Now the panel answers, and it has counted the guesses.
    let guesses = 0;
    await until('a refusal', async () => {
      guesses += 1;
      return (await get(panel, `/sub/other-guess-${guesses}`)).status === 429;
    });
    expect(guesses).toBeLessThan(10);
  });
});

describe('a follower', () => {
  let panel: PanelProcess;
  let admin: Admin;
  let pid: number;

  beforeEach(async () => {
    panel = await startPanel({ coreBin: NO_CORE, env: ENV });
    admin = await panel.admin();
    await addInbound(admin, [client(1)]);
    pid = await following(panel);
  });
  afterEach(() => panel?.cleanUp());

  const doctor = async (): Promise<string> =>
    (await cli(['doctor'], panel.dataDir, { env: { PORTOLAN_OPS_PORT: String(panel.ports.ops) } })).stdout;
  const served = async (): Promise<number> => (await get(panel, '/sub/subscription-1')).status;

  it('that is killed under load costs the running requests only, and is started again', async () => {
    const results = { good: 0, failed: 0 };
    let running = true;
    const worker = async (): Promise<void> => {
      while (running) {
        const status = await served().catch(() => 0);
        if (status === 200) results.good += 1;
        else results.failed += 1;
      }
    };
    const workers = Array.from({ length: CONNECTIONS }, worker);
    await until('load', () => results.good > 50);
    process.kill(pid, 'SIGKILL');
    const before = results.good;
    await until('answers after it', () => results.good > before + 50);
    await until('another follower', async () => (await figure(panel, 'up')) === 1 && followersOf(panel)[0] !== pid);
    const after = results.good;
    await until('answers of another follower', () => results.good > after + 50);
    running = false;
    await Promise.all(workers);
    expect(results.failed).toBeLessThanOrEqual(CONNECTIONS);
    expect(await figure(panel, 'restarts_total')).toBe(1);
  });

  it('that does not run leaves the requests to the panel until it runs again', async () => {
    process.kill(pid, 'SIGSTOP');
    try {
      expect(await until('an answer of the panel', served)).toBe(200);
      await must(admin.post('/panel/setting/update', { subTitle: 'Meanwhile' }));
      expect((await get(panel, '/sub/subscription-1')).headers['profile-title']).toContain(
        Buffer.from('Meanwhile').toString('base64'),
      );
      await until('the panel knows', async () => (await figure(panel, 'up')) === 0);
      expect(await figure(panel, 'lag_events')).toBeGreaterThan(0);
      expect(await doctor()).toContain(
        'NOTE subscription processes: 0 of 1 answer; the panel answers in place of the others',
      );
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until('the follower', async () => (await figure(panel, 'lag_events')) === 0);
    expect(await doctor()).toContain('ok   subscription processes: 1 of 1 answer');
    expect(await following(panel)).toBe(pid);
    expect((await get(panel, '/sub/subscription-1')).headers['profile-title']).toContain(
      Buffer.from('Meanwhile').toString('base64'),
    );
  });

  it('ends with the panel', async () => {
    await panel.stop();
    expect(followersOf(panel)).toEqual([]);
  });

  it('that is stopped does not keep the port of a panel that was killed', async () => {
    process.kill(pid, 'SIGSTOP');
    panel.kill('SIGKILL');
    await panel.exited;
    const { dataDir, ports } = panel;
    const next = await startPanel({ coreBin: NO_CORE, dataDir, ports, env: ENV });
    try {
      expect((await get(next, '/sub/subscription-1')).status).toBe(200);
      expect(followersOf(next)).not.toContain(pid);
    } finally {
      await next.stop();
    }
  });
});

describe('a follower and the panel', () => {
  it('send the same bytes in every format', async () => {
    const ports: PanelPorts = await panelPorts();
    const usual = await startPanel({ coreBin: NO_CORE, ports, env: ENV });
    const alone = { coreBin: NO_CORE, ports, dataDir: usual.dataDir, env: { PORTOLAN_SUB_PROCESSES: '0' } };
    try {
      const admin = await usual.admin();
      await must(admin.post('/panel/setting/update', { subJsonEnable: true, subClashEnable: true, subTitle: 'Ä' }));
      await addInbound(admin, [client(1, { totalGB: 2 ** 33 })]);
      await addInbound(admin, [client(2, { subId: 'subscription-1' })], { protocol: 'vmess' });
      const all = (panel: PanelProcess): Promise<Got[]> =>
        Promise.all(
          [
            ...['links', 'base64', 'plain', 'json', 'clash', 'sing-box'].map(
              (name) => `/sub/subscription-1?format=${name}`,
            ),
            ...['/json/subscription-1', '/clash/subscription-1', '/sub/subscription-1', '/sub/nothing', '/'],
            ...['en', 'fa'].map((language) => `/sub/subscription-1?html=1&lang=${language}`),
          ].map(async (path) => {
            const { status, headers, body } = await get(panel, path, { 'accept-encoding': 'gzip' });
            const { date: _, ...rest } = headers;
            return { status, headers: rest, body };
          }),
        );
      await following(usual);
      const followed = await all(usual);
      await usual.stop();
      const panel = await startPanel(alone);
      const own = await all(panel);
      expect(followersOf(panel)).toEqual([]);
      await panel.stop();
      expect(followed).toStrictEqual(own);
      expect(own.filter(({ status }) => status === 200)).toHaveLength(11);
    } finally {
      await usual.cleanUp();
    }
  });

  it('serve the restored state after a restore, and never the one before', async () => {
    const panel = await startPanel({ coreBin: NO_CORE, launcher: true, env: ENV });
    try {
      const admin = await panel.admin();
      await addInbound(admin, [client(1)]);
      const backup = new Blob([await (await admin.raw('GET', '/panel/api/server/getDb')).arrayBuffer()]);
      await addInbound(admin, [client(2)]);
      const before = await following(panel);
      expect((await get(panel, '/sub/subscription-2')).status).toBe(200);
      await must(admin.multipart('/panel/api/server/importDB', { db: backup }));
      await until('the restored state', async () => (await get(panel, '/sub/subscription-2')).status === 404);
      expect((await get(panel, '/sub/subscription-1')).status).toBe(200);
      const after = await until('another follower', async () => {
        const [pid] = followersOf(panel);
        return pid !== before && (await figure(panel, 'up')) === 1 ? pid : null;
      });
      expect(after).not.toBe(before);
      for (let round = 0; round < 20; round += 1) {
        expect((await get(panel, '/sub/subscription-2')).status).toBe(404);
        expect((await get(panel, '/sub/subscription-1')).status).toBe(200);
      }
    } finally {
      await panel.cleanUp();
    }
  });
});

describe('a follower with TLS', () => {
  let folder: string;
  let made: TestCertificate[];
  let panel: PanelProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portolan-e2e-followers-'));
    made = await Promise.all([makeCertificate(['one.example']), makeCertificate(['two.example'])]);
    panel = await startMovable({ coreBin: NO_CORE, env: ENV });
  });
  afterAll(async () => {
    await panel?.cleanUp();
    for (const certificate of made ?? []) certificate.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('uses a new certificate at once, and moves with the server to another port', async () => {
    const admin = await panel.admin();
    const files = { subCertFile: join(folder, 'cert.pem'), subKeyFile: join(folder, 'key.pem') };
    const put = (certificate: TestCertificate | undefined): void => {
      copyFileSync(certificate?.certFile ?? '', files.subCertFile);
      copyFileSync(certificate?.keyFile ?? '', files.subKeyFile);
    };
    put(made[0]);
    await addInbound(admin, [client(1)]);
    await following(panel);
    await must(admin.post('/panel/setting/update', files));
    panel.kill('SIGHUP');
    const url = `${panel.subUrl.replace('http:', 'https:')}/sub/subscription-1`;
    const names = async (at = url): Promise<string> => /^DNS:([\w.]+)/.exec((await ask(at)).names)?.[1] ?? '';
    await until('TLS', async () => (await names()) === 'one.example');
    put(made[1]);
    await until('the other certificate', async () => (await names()) === 'two.example');
    process.kill(panel.pid, 'SIGSTOP');
    expect(await names().finally(() => process.kill(panel.pid, 'SIGCONT'))).toBe('two.example');
    const subPort = await freePort();
    await must(admin.post('/panel/setting/update', { subPort }));
    panel.kill('SIGHUP');
    const moved = url.replace(/:\d+\//, `:${subPort}/`);
    await until('the other port', async () => (await names(moved)) === 'two.example');
    await until('the end of the old port', () =>
      ask(url).then(
        () => false,
        ({ code }: NodeJS.ErrnoException) => code === 'ECONNREFUSED',
      ),
    );
    expect(await figure(panel, 'restarts_total')).toBe(0);
  });
});
