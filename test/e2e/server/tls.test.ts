import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { message } from '../../../src/messages/message.js';
import { makeCertificate, type TestCertificate } from '../../kit/real/certificate.js';
import { type Admin, must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { ask, BY_SETTINGS, knows, listening, startMovable } from '../servers.js';
import { headOf, recorded, until } from '../support.js';

const DAY_MS = 86_400_000;
const NO_CORE = '/nowhere/xray';

describe('a panel with TLS', () => {
  let folder: string;
  let made: TestCertificate[];
  let panel: PanelProcess;
  let admin: Admin;
  const files = { certFile: '', keyFile: '' };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portolan-e2e-tls-'));
    made = await Promise.all([
      makeCertificate(['one.example']),
      makeCertificate(['two.example'], { notBefore: new Date(), notAfter: new Date(Date.now() + 5 * DAY_MS) }),
    ]);
    files.certFile = join(folder, 'fullchain.pem');
    files.keyFile = join(folder, 'privkey.pem');
    panel = await startMovable({ coreBin: NO_CORE });
    admin = await panel.admin();
  });
  afterAll(async () => {
    await panel?.cleanUp();
    for (const certificate of made) certificate.remove();
    rmSync(folder, { recursive: true });
  });

  const put = (cert: TestCertificate | undefined, key = cert): void => {
    copyFileSync(cert?.certFile ?? '', files.certFile);
    copyFileSync(key?.keyFile ?? '', files.keyFile);
  };
  const secureUrl = (): string => panel.url.replace('http:', 'https:');
  const secureSub = (): string => panel.subUrl.replace('http:', 'https:');
  const pairs = {
    ...{ webCertFile: '', webKeyFile: '' },
    ...{ subCertFile: '', subKeyFile: '' },
  };

  it('rejects files that it could not use, before anything is written', async () => {
    put(made[0], made[1]);
    const start = headOf(panel.dataDir);
    const { certFile: webCertFile, keyFile: webKeyFile } = files;
    const answer = await admin.post('/panel/setting/update', { webCertFile, webKeyFile });
    expect(answer).toMatchObject({ success: false });
    expect(answer.msg).toContain('The key does not belong to the certificate');
    expect(recorded(panel.dataDir, 'SettingsChanged', start)).toEqual([]);
  });

  it('is switched on by a restart, on the same ports and for the same session', async () => {
    put(made[0]);
    Object.assign(pairs, { webCertFile: files.certFile, webKeyFile: files.keyFile });
    Object.assign(pairs, { subCertFile: files.certFile, subKeyFile: files.keyFile });
    await must(admin.post('/panel/setting/update', pairs));
    expect((await ask(panel.url)).status).toBe(200);
    await must(admin.post('/panel/setting/restartPanel'));
    await until('TLS is on', () => knows(secureUrl(), admin));

    const page = await ask(`${secureUrl()}/`);
    expect(page.names).toContain('one.example');
    expect(page.headers['strict-transport-security']).toMatch(/^max-age=/);
    const token = await ask(`${secureUrl()}/csrf-token`);
    expect(String(token.headers['set-cookie'])).toContain('; Secure');
    const plain = await ask(`${panel.url}/login?x=1`, { method: 'POST' });
    expect([plain.status, plain.headers.location, plain.text]).toEqual([307, `${secureUrl()}/login?x=1`, '']);
    expect(plain.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });

    const socket = new WebSocket(`${panel.url.replace('http:', 'wss:')}/ws`, {
      headers: { cookie: admin.cookieHeader(), origin: secureUrl() },
      rejectUnauthorized: false,
    });
    await once(socket, 'open');
    socket.terminate();
    expect((await ask(`${secureSub()}/sub/nobody`)).status).toBe(404);
    const { text } = await ask(`${secureUrl()}/panel/api/server/status`, { headers: { cookie: admin.cookieHeader() } });
    expect(JSON.parse(text)).toMatchObject({ success: true });
    const copies = ['panel.pem', 'subscription.pem'].map((name) => statSync(join(panel.dataDir, 'certs', name)).mode);
    expect(copies.map((mode) => mode & 0o777)).toEqual([0o600, 0o600]);
    const loaded = recorded(panel.dataDir, 'CertificateLoaded').map(({ data: { server } }) => server);
    expect(loaded).toEqual(['panel', 'subscription']);
  });

  it('uses a renewed certificate for new connections, keeps old connections open, and rejects an invalid one', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const names = async (over?: Agent) => (await ask(`${secureUrl()}/`, over ? { agent: over } : {})).names;
    const start = headOf(panel.dataDir);
    try {
      expect(await names(agent)).toContain('one.example');
      put(made[1]);
      await until('the new certificate is served', async () => (await names()).includes('two.example'));
      expect(await names(agent)).toContain('one.example');
    } finally {
      agent.destroy();
    }
    await until('it is known to end soon', () => recorded(panel.dataDir, 'CertificateExpiring', start).length > 0);

    writeFileSync(files.certFile, 'rubbish');
    // Each server watches its own pair, so either may see the file first.
    const refused = await until('both refuse it', () => {
      const events = recorded(panel.dataDir, 'CertificateRejected', start).map(({ data }) => data);
      return events.length === 2 && events.sort((a, b) => String(a.server).localeCompare(String(b.server)));
    });
    const reason = message('certificate.fileNotPem');
    expect(refused).toEqual(['panel', 'subscription'].map((server) => ({ server, ...files, reason })));
    expect(await names()).toContain('two.example');
    await until('the log says it', () => panel.stderr().includes('A certificate cannot be used'));
    expect(panel.stdout() + panel.stderr()).not.toContain('BEGIN');
  });

  it('starts with the last valid pair if the files are invalid, and without any pair only on loopback', async () => {
    await panel.stop();
    const { ports, dataDir } = panel;
    // Without an address the panel would be open to the network.
    const options = { dataDir, ports, coreBin: NO_CORE, env: { ...BY_SETTINGS, PORTOLAN_HOST: '' } };
    const second = await startPanel(options);
    try {
      expect((await ask(`${secureUrl()}/`)).names).toContain('two.example');
      await until('the banner warns', () =>
        /WARNING: the certificate of the panel .*an earlier or expired certificate/.test(second.stdout()),
      );
    } finally {
      await second.stop();
    }

    rmSync(join(dataDir, 'certs', 'panel.pem'));
    const third = await startPanel(options);
    try {
      expect((await ask(`${panel.url}/`)).status).toBe(200);
      expect(listening(ports.panel)).toEqual(['127.0.0.1']);
      await until('the banner warns', () => /WARNING: .* on 127\.0\.0\.1 only/.test(third.stdout()));
      expect((await ask(`${secureSub()}/sub/nobody`)).status).toBe(404);
      put(made[0]);
      await until('it comes out by itself', async () => (await ask(`${secureUrl()}/`)).names.includes('one'));
      expect(listening(ports.panel)).toEqual(['*']);
    } finally {
      await third.stop();
    }
  });
});
