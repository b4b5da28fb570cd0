import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../kit/real/certificate.js';
import { blockFiles, cutEnd, flipByte } from '../kit/real/nats/blocks.js';
import { type NatsCluster, startNatsCluster } from '../kit/real/nats/cluster.js';
import { type NatsServer, startNats, withoutNats } from '../kit/real/nats/server.js';
import { startTcpProxy } from '../kit/real/tcp-proxy.js';
import { eventually, until } from '../kit/wait.js';

const SUITE = 'the test kit of NATS';
const missing = withoutNats(SUITE);
const STREAM = 'LOG';
const SHORT_MS = 1_000;
/** How long a busy machine may take to create a stream with three replicas. */
const REPLY_MS = 30_000;

async function addStream(connection: NatsConnection, replicas = 1): Promise<void> {
  const manager = await jetstreamManager(connection, { timeout: REPLY_MS });
  await manager.streams.add({ name: STREAM, subjects: ['log'], num_replicas: replicas });
}

/** Publishes a text and returns its position in the stream. */
async function publish(connection: NatsConnection, text: string, timeout = 5_000): Promise<number> {
  return (await jetstream(connection, { timeout }).publish('log', text)).seq;
}

/** All texts of the stream, which its leader is asked for. */
async function texts(connection: NatsConnection): Promise<string[]> {
  const manager = await jetstreamManager(connection, { timeout: REPLY_MS });
  const { state } = await manager.streams.info(STREAM);
  const found: string[] = [];
  for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
    const message = await manager.streams.getMessage(STREAM, { seq });
    if (message !== null) found.push(message.string());
  }
  return found;
}

/** Runs `work` with a connection to this server, and closes it. */
async function withClient<T>(server: NatsServer, work: (connection: NatsConnection) => Promise<T>): Promise<T> {
  const connection = await server.client();
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** Publishes until a leader acknowledges. */
const publishedSoon = (server: NatsServer, text: string) =>
  until(`${text} is acknowledged`, () => withClient(server, (connection) => publish(connection, text, SHORT_MS)));

describe.skipIf(missing)(`${SUITE}: one server`, () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server?.remove());

  it('stores messages, refuses a stale position, and keeps everything when it is killed', async () => {
    await withClient(server, async (connection) => {
      await addStream(connection);
      expect(await publish(connection, 'one')).toBe(1);
      const stale = jetstream(connection).publish('log', 'two', { expect: { lastSequence: 0 } });
      await expect(stale).rejects.toMatchObject({ code: 10071 });
      const lease = await (await new Kvm(connection).create('lease', { ttl: 60_000 })).create('leader', 'a');
      expect(lease).toBe(1);
    });
    const pid = server.pid();
    await server.kill();
    expect(server.running()).toBe(false);
    await server.start();
    expect(server.pid()).not.toBe(pid);
    expect(await withClient(server, texts)).toStrictEqual(['one']);
    expect(server.log()).toContain('Server is ready');
  });

  it('answers nothing while it is paused', async () => {
    await server.pause();
    expect(await server.healthy()).toBe(false);
    server.resume();
    expect(await server.healthy()).toBe(true);
  });

  it('has block files: a flipped byte is noticed, a shortened file has fewer messages', async () => {
    await withClient(server, async (connection) => {
      for (const text of ['two', 'three']) await publish(connection, text);
    });
    await server.stop();
    const [file = ''] = blockFiles(server, STREAM);
    cutEnd(file, 10);
    await server.start();
    expect(await withClient(server, texts)).toStrictEqual(['one', 'two']);
    await server.stop();
    flipByte(file, -10);
    await server.start();
    expect(await withClient(server, texts)).toStrictEqual(['one']);
  });
});

describe.skipIf(missing)(`${SUITE}: the settings of a server`, () => {
  it('include users with rights, and TLS with our own certificate', async () => {
    const certificate = await makeCertificate();
    const reader = { user: 'reader', password: 'b', permissions: { publish: { deny: ['log'] } } };
    const server = await startNats({ users: [{ user: 'writer', password: 'a' }, reader], tls: certificate });
    try {
      expect(server.url).toBe(`tls://127.0.0.1:${server.port}`);
      await withClient(server, addStream);
      await expect(server.client({ pass: 'wrong' })).rejects.toThrow('Authorization Violation');
      await expect(server.client({ tls: {} })).rejects.toThrow('self-signed certificate');
      const connection = await server.client({ user: 'reader', pass: 'b' });
      await expect(publish(connection, 'refused', SHORT_MS)).rejects.toThrow(
        /Permissions Violation for Publish to "log"/,
      );
      await connection.close();
    } finally {
      await server.remove();
      certificate.remove();
    }
  });

  it('include a server without JetStream, and small limits', async () => {
    const [without, small] = await Promise.all([
      startNats({ jetstream: false }),
      startNats({ jetstream: { max_file_store: 100_000 }, config: { max_payload: 50_000 } }),
    ]);
    try {
      await expect(withClient(without, addStream)).rejects.toThrow(/jetstream is not enabled/i);
      await withClient(small, async (connection) => {
        await addStream(connection);
        const fill = async (): Promise<void> => {
          for (let count = 0; count < 10; count += 1) await publish(connection, 'x'.repeat(40_000));
        };
        await expect(fill()).rejects.toThrow(/insufficient.*resources/);
        await expect(publish(connection, 'x'.repeat(60_000))).rejects.toThrow(/payload/i);
      });
    } finally {
      await Promise.all([without.remove(), small.remove()]);
    }
  });
});

describe.skipIf(missing)(`${SUITE}: three servers`, () => {
  let cluster: NatsCluster;
  beforeAll(async () => {
    cluster = await startNatsCluster({ proxied: true });
    const [server] = cluster.servers;
    if (server !== undefined) await withClient(server, (connection) => addStream(connection, 3));
  });
  afterAll(() => cluster?.remove());

  /** The leader of the stream, and the two others. */
  async function roles(): Promise<{ leader: NatsServer; one: NatsServer; two: NatsServer }> {
    const leader = await cluster.streamReady(STREAM);
    const [one, two] = cluster.servers.filter((server) => server !== leader);
    if (one === undefined || two === undefined) throw new Error('three servers are needed');
    return { leader, one, two };
  }

  it('replace a killed leader, which gets what it missed when it is back', async () => {
    const { leader, one } = await roles();
    await withClient(leader, (connection) => publish(connection, 'before'));
    await leader.kill();
    await publishedSoon(one, 'after');
    expect(await cluster.metaLeader()).not.toBe(leader);
    await leader.start();
    await cluster.ready();
    expect(await cluster.streamReady(STREAM)).not.toBe(leader);
    expect(await withClient(leader, texts)).toEqual(expect.arrayContaining(['before', 'after']));
  });

  it('acknowledge nothing without a quorum', async () => {
    const { leader, one, two } = await roles();
    await Promise.all([one.kill(), two.kill()]);
    await expect(withClient(leader, (connection) => publish(connection, 'alone', SHORT_MS))).rejects.toThrow();
    await Promise.all([one.start(), two.start()]);
    await cluster.ready();
    await publishedSoon(one, 'together');
  });

  it('replace an isolated leader, which acknowledges nothing meanwhile', async () => {
    const { leader, one } = await roles();
    const connection = await leader.client();
    cluster.isolate(leader);
    await expect(publish(connection, 'isolated', SHORT_MS)).rejects.toThrow();
    await publishedSoon(one, 'elected');
    expect(await cluster.streamLeader(STREAM)).not.toBe(leader);
    cluster.heal();
    await cluster.ready();
    await cluster.streamReady(STREAM);
    expect(await texts(connection)).toContain('elected');
    await connection.close();
  });

  it('notice a leader that is heard, but does not hear', async () => {
    const { leader, one, two } = await roles();
    const connection = await leader.client();
    cluster.cutOneWay(one, leader);
    cluster.cutOneWay(two, leader);
    await expect(publish(connection, 'deaf', SHORT_MS)).rejects.toThrow();
    cluster.heal();
    await cluster.streamReady(STREAM);
    await connection.close();
    await publishedSoon(one, 'heard');
  });

  it('take as long as their network', async () => {
    const { leader } = await roles();
    await withClient(leader, async (connection) => {
      cluster.delay(100);
      const started = performance.now();
      await publish(connection, 'slow');
      expect(performance.now() - started).toBeGreaterThan(190);
      cluster.heal();
    });
  });

  it('have equal copies of the stream', async () => {
    await cluster.streamReady(STREAM);
    // A follower reports itself as current before it has stored the last message.
    await eventually(async () => {
      const [first, ...others] = await cluster.copies(STREAM);
      expect(first?.messages).toBeGreaterThan(5);
      expect(others).toStrictEqual(['n2', 'n3'].map((server) => ({ ...first, server })));
    });
  });
});

describe.skipIf(missing)(`${SUITE}: a network before a server`, () => {
  it('can be cut, also in one direction, healed, delayed and reset', async () => {
    const server = await startNats();
    const proxy = await startTcpProxy(server.port);
    const connection = await server.client({ servers: [`127.0.0.1:${proxy.port}`], reconnectTimeWait: 10 });
    try {
      await addStream(connection);
      expect(proxy.connections()).toBe(1);
      await expect(cutAndPublish('to-server')).rejects.toThrow();
      expect(await withClient(server, texts)).toStrictEqual([]);
      proxy.heal();
      await until('the held message arrives', async () => (await texts(connection)).length === 1);
      // The server stores this one: only its answer is lost.
      await expect(cutAndPublish('to-client')).rejects.toThrow();
      expect(await withClient(server, texts)).toStrictEqual(['to-server', 'to-client']);
      proxy.heal();

      proxy.delay(100);
      const started = performance.now();
      await connection.flush();
      expect(performance.now() - started).toBeGreaterThan(190);
      proxy.delay(0);

      proxy.reset();
      await until('the client is connected again', () => publish(connection, 'again', SHORT_MS));
    } finally {
      await connection.close();
      await proxy.stop();
      await server.remove();
    }

    function cutAndPublish(direction: 'to-server' | 'to-client'): Promise<number> {
      proxy.cut(direction);
      return publish(connection, direction, SHORT_MS);
    }
  });
});
