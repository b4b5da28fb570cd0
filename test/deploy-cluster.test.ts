import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { Objm } from '@nats-io/obj';
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { type Child, startChild } from './kit/real/children.js';
import { natsBinary, withoutNats } from './kit/real/nats/server.js';
import { cli, startCli, startPanel } from './kit/real/panel-process.js';
import { freePorts } from './kit/real/ports.js';
import { until } from './kit/wait.js';

const root = resolve(import.meta.dirname, '..');
const text = (name: string): string => readFileSync(join(root, name), 'utf8');
const NAMES = ['portolan-1', 'portolan-2', 'portolan-3'];
const SUITE = 'the configuration of the NATS servers of a cluster';
const missing = withoutNats(SUITE);
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

interface Machine {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly monitorPort: number;
  readonly routePort: number;
}

/** The shipped configuration with the folders and ports of a machine of the test. */
function configurationOf(machine: Machine, all: readonly Machine[]): string {
  const shipped = text('deploy/cluster/nats.conf')
    .replaceAll('/etc/portolan/nats/', `${machine.folder}/`)
    .replace('/var/lib/portolan-nats', join(machine.folder, 'store'))
    .replace('0.0.0.0:4222', `127.0.0.1:${machine.port}`)
    .replace('127.0.0.1:8222', `127.0.0.1:${machine.monitorPort}`)
    .replace('0.0.0.0:6222', `127.0.0.1:${machine.routePort}`);
  return all.reduce((config, { name, routePort }) => config.replace(`${name}:6222`, `127.0.0.1:${routePort}`), shipped);
}

const monitor = async (machine: Machine, path: string): Promise<unknown> =>
  (await fetch(`http://127.0.0.1:${machine.monitorPort}${path}`)).json();

describe.skipIf(missing)(SUITE, () => {
  let folder: string;
  let machines: Machine[];
  const children: Child[] = [];

  /** Makes the certificates with the shipped program, and writes the passwords and the configuration. */
  async function prepare(authority: string, names: readonly string[]): Promise<Machine[]> {
    const to = join(folder, authority);
    execFileSync(join(root, 'deploy/cluster/certificates'), [
      to,
      ...names.map((name) => `${name},localhost,127.0.0.1`),
    ]);
    const made: Machine[] = [];
    for (const name of names) {
      const [port = 0, monitorPort = 0, routePort = 0] = await freePorts(3, 'tcp');
      made.push({ name, folder: join(to, name), port, monitorPort, routePort });
    }
    return made;
  }

  function write(machine: Machine, all: readonly Machine[]): void {
    writeFileSync(
      join(machine.folder, 'passwords.conf'),
      NAMES.map((name, index) => `PASSWORD_${index + 1}: "password of ${name}"\n`).join(''),
    );
    writeFileSync(join(machine.folder, 'nats.conf'), configurationOf(machine, all));
  }

  function start(machine: Machine): Child {
    const child = startChild(natsBinary() ?? '', ['-c', join(machine.folder, 'nats.conf')], {
      env: { ...process.env, NATS_NAME: machine.name },
    });
    children.push(child);
    return child;
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portolan-deploy-cluster-'));
    machines = await prepare('authority', NAMES);
    for (const machine of machines) {
      write(machine, machines);
      start(machine);
    }
    for (const machine of machines)
      await until(`${machine.name} is healthy`, async () => {
        const health = (await monitor(machine, '/healthz')) as { status: string };
        return health.status === 'ok';
      });
  });
  afterAll(async () => {
    await Promise.all(children.map((child) => child.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  /** A panel of the first machine, which knows all servers. */
  const member = (options: ConnectionOptions = {}): Promise<NatsConnection> =>
    connect({
      servers: machines.map(({ port }) => `tls://localhost:${port}`),
      user: 'portolan-1',
      pass: 'password of portolan-1',
      tls: { caFile: join(folder, 'authority', 'ca.pem') },
      ...options,
    });

  it('is accepted as it is shipped', () => {
    const there = mkdtempSync(join(folder, 'shipped-'));
    const [machine] = machines;
    for (const name of ['cert.pem', 'key.pem', 'ca.pem', 'passwords.conf'])
      copyFileSync(join(machine?.folder ?? '', name), join(there, name));
    const file = join(there, 'nats.conf');
    writeFileSync(file, text('deploy/cluster/nats.conf').replaceAll('/etc/portolan/nats/', `${there}/`));
    const env = { ...process.env, NATS_NAME: 'portolan-1' };
    const { status, stderr } = spawnSync(natsBinary() ?? '', ['-t', '-c', file], { encoding: 'utf8', env });
    expect(stderr).toContain('is valid');
    expect(status).toBe(0);
  });

  it('writes each message to the disk before it is acknowledged', async () => {
    for (const machine of machines)
      expect(await monitor(machine, '/jsz?config=true')).toMatchObject({ config: { sync_always: true } });
  });

  it('allows a panel all that it needs: three replicas of streams and buckets, and requests to other members', async () => {
    const panel = await member();
    const other = await member({ user: 'portolan-2', pass: 'password of portolan-2' });
    try {
      const manager = await jetstreamManager(panel);
      const log = { name: 'PORTOLAN_LOG', subjects: ['portolan.log'], num_replicas: 3 };
      await manager.streams.add(log);
      const jetstream = manager.jetstream();
      expect(await jetstream.publish('portolan.log', 'one', { expect: { lastSequence: 0 } })).toMatchObject({ seq: 1 });
      await manager.streams.find('portolan.log');
      const consumer = await jetstream.consumers.get('PORTOLAN_LOG');
      expect((await consumer.next())?.string()).toBe('one');
      const kvm = new Kvm(panel);
      for (const storage of ['memory', 'file'] as const) {
        const bucket = await kvm.create(`PORTOLAN_${storage}`, { replicas: 3, storage, ttl: 60_000 });
        const revision = await bucket.create('key', 'a');
        await bucket.update('key', 'b', revision);
        expect((await bucket.get('key'))?.string()).toBe('b');
        for await (const key of await bucket.keys()) expect(key).toBe('key');
        await bucket.purge('key');
      }
      const snapshots = await new Objm(panel).create('PORTOLAN_SNAPSHOTS', { replicas: 3 });
      await snapshots.putBlob({ name: 'snapshot' }, Buffer.alloc(300_000, 1));
      expect(await snapshots.getBlob('snapshot')).toHaveLength(300_000);

      const requests = other.subscribe('portolan.leader', { callback: (_, request) => void request.respond('done') });
      await other.flush();
      expect((await panel.request('portolan.leader', 'change')).string()).toBe('done');
      requests.unsubscribe();
      await manager.streams.purge('PORTOLAN_LOG');
      await manager.streams.delete('PORTOLAN_LOG');
    } finally {
      await Promise.all([panel.close(), other.close()]);
    }
  });

  it('lets panels create a cluster over TLS, join it, follow and hand over', async () => {
    const env = (name: string) => ({
      PORTOLAN_CLUSTER_URL: machines
        .map(({ port }) => `tls://${name}:${encodeURIComponent(`password of ${name}`)}@localhost:${port}`)
        .join(),
      PORTOLAN_CLUSTER_CA: join(folder, 'authority', 'portolan-1', 'ca.pem'),
      PORTOLAN_CLUSTER_NAME: name,
    });
    const [one, two] = [join(folder, 'data-1'), join(folder, 'data-2')];
    await (await startPanel({ dataDir: one })).stop();
    const created = await cli(['cluster', 'init'], one, { env: env('portolan-1') });
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const leader = await startPanel({ dataDir: one, env: env('portolan-1'), launcher: true });
    onTestFinished(() => leader.cleanUp());
    const joining = startCli(['--json', 'cluster', 'join'], two, env('portolan-2'));
    onTestFinished(() => joining.kill('SIGKILL'));
    const fingerprint = await until('a fingerprint', () => /"fingerprint": ?"([^"]+)"/.exec(joining.stdout())?.[1]);
    await until('the approval', async () => {
      const { code } = await cli(['cluster', 'approve', 'portolan-2', fingerprint], one);
      return code === 0;
    });
    expect(await joining.exited).toMatchObject({ code: 0 });
    const follower = await startPanel({ dataDir: two, env: env('portolan-2'), launcher: true });
    onTestFinished(() => follower.cleanUp());
    await until('it hands over', async () => {
      const { code } = await cli(['cluster', 'step-down'], two, { env: env('portolan-2') });
      return code === 0;
    });
    await until('portolan-2 leads', async () => {
      const { stdout } = await cli(['cluster', 'status', '--json'], two, { env: env('portolan-2') });
      return (JSON.parse(stdout) as { leader: string | null }).leader === 'portolan-2';
    });
    await follower.admin().then((admin) => admin.post('/panel/setting/update', { subAnnounce: 'over TLS' }));
    const verified = await cli(['cluster', 'verify'], two, { env: env('portolan-2') });
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    const refused = await cli(['cluster', 'status'], one, { env: { ...env('portolan-1'), PORTOLAN_CLUSTER_CA: '' } });
    expect(refused.code).toBe(1);
  });

  it('allows a panel nothing else', async () => {
    const panel = await member();
    try {
      const refusal = async (work: () => void): Promise<string> => {
        const refused = (async () => {
          for await (const status of panel.status()) if (status.type === 'error') return status.error.message;
          return 'the connection was closed';
        })();
        work();
        return refused;
      };
      expect(await refusal(() => panel.publish('other', 'x'))).toContain(
        'Permissions Violation for Publish to "other"',
      );
      const all = () => void panel.subscribe('>', { callback: () => {} });
      expect(await refusal(all)).toContain('Permissions Violation for Subscription to ">"');
      await expect(panel.request('$SYS.REQ.SERVER.PING', '', { timeout: 500 })).rejects.toThrow();
    } finally {
      await panel.close();
    }
  });

  it('accepts no client without a password, and is trusted only by its authority', async () => {
    await expect(member({ pass: 'wrong' })).rejects.toThrow('Authorization Violation');
    await expect(member({ user: '', pass: '' })).rejects.toThrow('Authorization Violation');
    await expect(member({ tls: {} })).rejects.toThrow(/self-signed certificate|unable to verify/);
  });

  it('accepts no server with a certificate of another authority', async () => {
    const [stranger] = await prepare('other', ['stranger']);
    if (stranger === undefined) throw new Error('no machine');
    write(stranger, machines);
    const child = start(stranger);
    await until('the strange server is refused', () => /tls: |certificate/i.test(child.stderr()));
    expect(await monitor(stranger, '/routez')).toMatchObject({ num_routes: 0 });
    await child.stop();
    for (const machine of machines) {
      const { routes } = (await monitor(machine, '/routez')) as { routes: { remote_name: string }[] };
      expect([...new Set(routes.map((route) => route.remote_name))].sort()).toStrictEqual(
        NAMES.filter((name) => name !== machine.name),
      );
    }
  });
});

describe('the other files of a cluster', () => {
  it.skipIf(!hasSystemd)('include a unit that systemd accepts, and an order for the unit of the panel', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portolan-unit-'));
    try {
      const file = join(folder, 'portolan-nats.service');
      writeFileSync(
        file,
        text('deploy/cluster/portolan-nats.service').replaceAll('/usr/local/bin/nats-server', '/bin/true'),
      );
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(text('deploy/cluster/after-nats.conf')).toMatch(/^After=portolan-nats\.service$/m);
  });

  it('agree in their folders, their version of NATS and the image of the panel', () => {
    const compose = parse(text('deploy/cluster/compose.yaml')) as {
      services: Record<'nats' | 'portolan', { image: string; volumes: string[]; command?: string[] }>;
      volumes: object;
    };
    const { nats, portolan } = compose.services;
    const version = /version: '([\d.]+)'/.exec(text('scripts/nats.mjs'))?.[1];
    expect(nats.image).toBe(`nats:${version}`);
    expect(nats.command).toStrictEqual(['-c', '/etc/portolan/nats/nats.conf']);
    expect(nats.volumes).toStrictEqual(['./nats:/etc/portolan/nats:ro', 'nats:/var/lib/portolan-nats']);
    expect(text('deploy/cluster/nats.conf')).toContain('store_dir: "/var/lib/portolan-nats"');
    expect(text('deploy/cluster/portolan-nats.service')).toMatch(/^StateDirectory=portolan-nats$/m);
    expect(portolan.volumes).toContain('portolan:/data');
    expect(text('Dockerfile')).toContain('VOLUME /data');
    expect(Object.keys(compose.volumes)).toStrictEqual(['nats', 'portolan']);
  });
});
