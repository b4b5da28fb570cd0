import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type NatsOptions, startNats, withoutNats } from '../../kit/real/nats/server.js';
import { cli, removeFolder, startPanel } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { until } from '../../kit/wait.js';
import { member, newCluster, startMember } from './panels.js';

/** The address of a server, with the login of its first user. */
async function server(options: NatsOptions = {}): Promise<string> {
  const nats = await startNats(options);
  onTestFinished(() => nats.remove());
  return nats.url.replace('://', `://${nats.user.user}:${nats.user.password}@`);
}

const EACH = [['status'], ['members'], ['step-down'], ['remove', 'x'], ['verify'], ['rebuild'], ['rejoin'], ['init']];

describe.skipIf(withoutNats('refusals of cluster commands'))('commands of a cluster', () => {
  let dataDir = '';
  beforeAll(async () => {
    dataDir = join(mkdtempSync(join(tmpdir(), 'portolan-refusals-')), 'data');
    await (await startPanel({ dataDir })).stop();
    return () => removeFolder(join(dataDir, '..'));
  });

  const run = (command: readonly string[], env: Record<string, string>, folder = dataDir) =>
    cli(['cluster', ...command], folder, { env: { ...member('x', ''), ...env } });

  it.each(EACH)('%s: says that the servers do not answer, at which address and what to check', async (...command) => {
    const url = `nats://127.0.0.1:${await freePort()}`;
    const { code, stderr } = await run(command, { PORTOLAN_CLUSTER_URL: url });
    expect(stderr).toContain(`The NATS servers at ${url} do not answer: "connection refused"`);
    expect(code).toBe(1);
  });

  it('name a wrong login, a missing JetStream, a missing file and TLS on one side', async () => {
    const url = await server();
    const password = new URL(url).password;
    const refused = async (env: Record<string, string>) => (await run(['status'], env)).stderr;
    expect(await refused({ PORTOLAN_CLUSTER_URL: url.replace(password, 'wrong') })).toContain('refused the connection');
    expect(await refused({ PORTOLAN_CLUSTER_URL: url, PORTOLAN_CLUSTER_CA: '/none/ca.pem' })).toMatch(
      /PORTOLAN_CLUSTER_CA: .*\/none\/ca\.pem/,
    );
    expect(await refused({ PORTOLAN_CLUSTER_URL: url.replace('nats:', 'tls:') })).toContain(
      `refused the connection: "server does not support 'tls'"`,
    );
    expect(await refused({ PORTOLAN_CLUSTER_URL: url })).toContain('portolan cluster init');
  });

  it('and the start of the panel are refused for an account without JetStream', async () => {
    const accounts = {
      A: { users: [{ user: 'a', password: 'secret' }] },
      B: { jetstream: 'enabled', users: [{ user: 'b', password: 'secret' }] },
    };
    const { one } = await newCluster();
    const without = await startNats({ config: { authorization: undefined, accounts } });
    onTestFinished(() => without.remove());
    const url = without.url.replace('://', '://a:secret@');
    const sentence = 'may not use JetStream';
    for (const command of [['init'], ['status'], ['verify']])
      expect((await run(command, { PORTOLAN_CLUSTER_URL: url }, one)).stderr).toContain(sentence);
    const started = await cli(['serve'], one, { env: member('x', url) });
    expect(started.stderr).toContain(sentence);
    expect(started.code).toBe(1);
  });

  it('init names the limit that the servers have refused', async () => {
    const url = await server();
    const { code, stderr } = await run(['init', '--replicas', '3'], { PORTOLAN_CLUSTER_URL: url });
    expect(stderr).toMatch(/could not create the cluster: ".*replicas.*--replicas/);
    expect(code).toBe(1);
    expect((await run(['init', '--replicas', '1'], { PORTOLAN_CLUSTER_URL: url })).code).toBe(0);
  });

  it('a start without the servers serves what it has, and logs up to which event and of when', async () => {
    const { one } = await newCluster();
    const panel = await startMember(one, 'one', `nats://127.0.0.1:${await freePort()}`);
    const text = `${panel.stdout()}${panel.stderr()}`
      .split('\n')
      .find((line) => line.includes('the cluster does not answer'));
    expect(JSON.parse(text ?? '')).toMatchObject({
      position: expect.any(Number),
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  it('a panel that started without the servers joins them once they accept its login', async () => {
    const { one, nats } = await newCluster();
    const other = await startNats({ users: [{ user: nats.user.user, password: 'another one' }] });
    onTestFinished(() => other.remove());
    const port = await freePort();
    const panel = await startMember(one, 'one', `nats://${nats.user.user}:${nats.user.password}@127.0.0.1:${port}`);
    let target = other.port;
    const servers = createServer((client) => {
      const server = connect(target, '127.0.0.1');
      client
        .on('error', () => server.destroy())
        .on('close', () => server.destroy())
        .pipe(server);
      server
        .on('error', () => client.destroy())
        .on('close', () => client.destroy())
        .pipe(client);
    }).listen(port, '127.0.0.1');
    onTestFinished(() => void servers.close());
    await until('the panel is refused', () => /cannot join its cluster/.test(`${panel.stdout()}${panel.stderr()}`));
    target = nats.port;
    await until('the panel leads', async () =>
      (await (await fetch(`${panel.opsUrl}/metrics`)).text()).includes('portolan_cluster_leader 1'),
    );
  });

  it('steering says that no leader answers', async () => {
    const { one, url } = await newCluster();
    for (const command of [['step-down'], ['remove', 'x']]) {
      const { code, stderr } = await run(command, { PORTOLAN_CLUSTER_URL: url }, one);
      expect(stderr).toContain('No leader of the cluster answers');
      expect(code).toBe(1);
    }
  });

  it('an invalid address is refused without showing it, because it has a password', async () => {
    for (const url of ['127.0.0.1:4222', 'nats://a:secret%zz@127.0.0.1:1', 'nats://a:secret@127.0.0.1:99999']) {
      const { code, stderr } = await run(['status'], { PORTOLAN_CLUSTER_URL: url });
      expect(stderr).toMatch(/PORTOLAN_CLUSTER_URL \(from the environment\): must be a list of addresses/);
      expect(stderr).not.toContain('secret');
      expect(code).toBe(2);
    }
  });

  it('a file that is no credentials file is named as the reason', async () => {
    const file = join(dataDir, '..', 'junk');
    writeFileSync(file, 'junk');
    const url = await server();
    const { stderr } = await run(['status'], {
      PORTOLAN_CLUSTER_URL: url.replace(/\/\/.*@/, '//'),
      PORTOLAN_CLUSTER_CREDENTIALS: file,
    });
    expect(stderr).toContain('refused the connection: "unable to parse credentials"');
  });
});
