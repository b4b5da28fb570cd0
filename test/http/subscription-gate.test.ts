import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultSettings } from '../../src/events/settings.js';
import { Peers } from '../../src/http/auth/peer.js';
import { type DoorKey, Doors } from '../../src/http/door.js';
import { type CrowdRules, SubscriptionGate } from '../../src/http/subscription-gate.js';
import { makeCertificate } from '../kit/real/certificate.js';

const ROOM: CrowdRules = { most: 6, mostOfOne: 4, budgetMs: 3 };
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** A server behind the gate that answers `hello`. Nobody is trusted unless it is said. */
async function start(rules: CrowdRules = ROOM, trustedProxyCIDRs: string[] = [], key: DoorKey | null = null) {
  const { admit, watch, take } = new SubscriptionGate(
    new Peers(() => ({ ...defaultSettings, trustedProxyCIDRs })),
    rules,
  );
  let asked = 0;
  const doors = new Doors(
    (req, res) => {
      asked += 1;
      take(req, () => res.end('hello'));
    },
    undefined,
    { admit, watch },
  );
  const { address } = await doors.open(0, '127.0.0.1', key);
  onTestFinished(() => doors.close());
  return { port: address.port, asked: () => asked };
}

interface Guest {
  readonly socket: Socket;
  /** All that was answered so far. */
  readonly heard: () => string;
  /** Sends, and waits for so many answers. */
  readonly ask: (text?: string, answers?: number) => Promise<void>;
  readonly gone: Promise<unknown>;
}

function guestOf(socket: Socket): Guest {
  let heard = '';
  socket.setEncoding('latin1').on('data', (text: string) => (heard += text));
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const ask = async (text = GET, answers = 1): Promise<void> => {
    const wanted = (heard.match(/hello/g)?.length ?? 0) + answers;
    socket.write(text);
    while ((heard.match(/hello/g)?.length ?? 0) < wanted) await once(socket, 'data');
  };
  return { socket, heard: () => heard, ask, gone: new Promise((resolve) => socket.once('close', resolve)) };
}

/** Connected, and answered once: so it was let in. */
async function enter(port: number, localAddress = '127.0.0.1'): Promise<Guest> {
  const guest = guestOf(connect({ port, host: '127.0.0.1', localAddress }));
  await guest.ask();
  return guest;
}

describe('connections', () => {
  it('beyond the limit of one address end the oldest of it, never the new one or a neighbour', async () => {
    const { port } = await start();
    const neighbour = await enter(port, '127.0.0.2');
    const held = [await enter(port), await enter(port), await enter(port), await enter(port)];
    const late = await enter(port);
    await held[0]?.gone;
    await late.ask();
    for (const guest of [...held.slice(1), neighbour]) await guest.ask();
  });

  it('beyond the limit of all end the oldest of who has most', async () => {
    const { port } = await start();
    const alone = await enter(port, '127.0.0.2');
    const held = [await enter(port), await enter(port), await enter(port)];
    const others = [await enter(port, '127.0.0.3'), await enter(port, '127.0.0.3')];
    const late = await enter(port, '127.0.0.4');
    await held[0]?.gone;
    for (const guest of [alone, late, ...others, ...held.slice(1)]) await guest.ask();
  });

  it('that closed leave room', async () => {
    const { port } = await start();
    const staying = await enter(port);
    for (let i = 0; i < 20; i += 1) {
      const guest = await enter(port);
      guest.socket.end();
      await guest.gone;
    }
    await staying.ask();
  });

  it('that say nothing lock nobody out', async () => {
    const { port } = await start();
    let closed = 0;
    const silent = Array.from({ length: 50 }, () => guestOf(connect(port, '127.0.0.1')));
    for (const { gone } of silent) void gone.then(() => (closed += 1));
    await expect.poll(() => closed, { timeout: 10_000 }).toBe(46);
    await (await enter(port)).ask();
  });

  it('of a trusted proxy are many callers, and are not counted', async () => {
    const { port } = await start(ROOM, ['127.0.0.1/32']);
    const held = await Promise.all(Array.from({ length: 12 }, () => enter(port)));
    for (const guest of held) await guest.ask();
  });

  it('are let in over TLS as well', async () => {
    const { certPem, keyPem, remove } = await makeCertificate(['sub.example']);
    remove();
    const { port } = await start(ROOM, [], { cert: Buffer.from(certPem), key: Buffer.from(keyPem) });
    const connected = async (): Promise<Guest> => {
      const socket: TLSSocket = tlsConnect({ port, host: '127.0.0.1', rejectUnauthorized: false });
      const guest = guestOf(socket);
      await guest.ask();
      return guest;
    };
    const held = [await connected(), await connected(), await connected(), await connected()];
    const late = await connected();
    await held[0]?.gone;
    for (const guest of [late, ...held.slice(1)]) await guest.ask();
    late.socket.write(GET.repeat(1000));
    await late.gone;
    await held[1]?.ask();
  });
});

describe('requests sent ahead', () => {
  it('are answered in their order, a few of them', async () => {
    const { port } = await start();
    await (await enter(port)).ask(GET.repeat(10), 10);
  });

  it('by the thousand are not even read', async () => {
    const { port, asked } = await start();
    const guest = await enter(port);
    const before = asked();
    guest.socket.write(GET.repeat(2000));
    await guest.gone;
    expect(guest.heard()).toMatch(/hello.*HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n\r\n$/s);
    expect(asked() - before).toBeLessThanOrEqual(16);
    await enter(port);
  });

  it('in small portions end the connection, once too many of them wait', async () => {
    // No time at all: whatever arrives waits for a turn of its own. A chunk holds eleven of these.
    const { port } = await start({ ...ROOM, budgetMs: 0 });
    const guest = await enter(port);
    const request = GET.replace('\r\n\r\n', `\r\nX: ${'x'.repeat(6000)}\r\n\r\n`);
    let open = true;
    void guest.gone.then(() => (open = false));
    for (let sent = 0; open && sent < 5000; sent += 20) {
      guest.socket.write(request.repeat(20));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await guest.gone;
    expect(guest.heard()).not.toContain('400');
    await (await enter(port)).ask();
  });
});
