import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultSettings } from '../../../src/events/settings/settings.js';
import { Peers } from '../../../src/http/panel/auth/peer.js';
import { Admission, type AdmissionRules } from '../../../src/http/server/admission.js';
import { type CertificateAndKey, Endpoints } from '../../../src/http/server/listening/endpoint.js';
import { makeCertificate } from '../../kit/real/certificate.js';

const ROOM: AdmissionRules = { most: 6, mostOfOne: 4, budgetMs: 3, requestMs: 0 };
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** A server behind the gate that replies `hello`. By default it trusts no proxy. */
async function start(
  rules: AdmissionRules = ROOM,
  trustedProxyCIDRs: string[] = [],
  key: CertificateAndKey | null = null,
) {
  const admission = new Admission(new Peers(() => ({ ...defaultSettings, trustedProxyCIDRs })), rules);
  let asked = 0;
  const endpoints = new Endpoints(
    (req, res) => {
      asked += 1;
      if (req.url === '/exempt') admission.exempt(req.socket);
      admission.schedule(req, () => res.end('hello'));
    },
    { admit: admission.admit },
  );
  const { address } = await endpoints.open(0, '127.0.0.1', key);
  onTestFinished(() => endpoints.close());
  return { port: address.port, asked: () => asked };
}

interface Guest {
  readonly socket: Socket;
  /** All replies so far. */
  readonly heard: () => string;
  /** Sends, and waits for this number of replies. */
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

/** Connected, and replied to once: so it was admitted. */
async function enter(port: number, localAddress = '127.0.0.1'): Promise<Guest> {
  const guest = guestOf(connect({ port, host: '127.0.0.1', localAddress }));
  await guest.ask();
  return guest;
}

describe('connections', () => {
  it('above the limit of one address close the oldest of that address, never the new one or a neighbour', async () => {
    const { port } = await start();
    const neighbour = await enter(port, '127.0.0.2');
    const held = [await enter(port), await enter(port), await enter(port), await enter(port)];
    const late = await enter(port);
    await held[0]?.gone;
    await late.ask();
    for (const guest of [...held.slice(1), neighbour]) await guest.ask();
  });

  it('above the total limit close the oldest of the address with the most', async () => {
    const { port } = await start();
    const alone = await enter(port, '127.0.0.2');
    const held = [await enter(port), await enter(port), await enter(port)];
    const others = [await enter(port, '127.0.0.3'), await enter(port, '127.0.0.3')];
    const late = await enter(port, '127.0.0.4');
    await held[0]?.gone;
    for (const guest of [alone, late, ...others, ...held.slice(1)]) await guest.ask();
  });

  it('that closed are no longer counted', async () => {
    const { port } = await start();
    const staying = await enter(port);
    for (let i = 0; i < 20; i += 1) {
      const guest = await enter(port);
      guest.socket.end();
      await guest.gone;
    }
    await staying.ask();
  });

  it('that are idle lock no client out', async () => {
    const { port } = await start();
    let closed = 0;
    const silent = Array.from({ length: 50 }, () => guestOf(connect(port, '127.0.0.1')));
    for (const { gone } of silent) void gone.then(() => (closed += 1));
    await expect.poll(() => closed).toBe(46);
    await (await enter(port)).ask();
  });

  it('of a trusted proxy carry many callers, and are not counted', async () => {
    const { port } = await start(ROOM, ['127.0.0.1/32']);
    const held = await Promise.all(Array.from({ length: 12 }, () => enter(port)));
    for (const guest of held) await guest.ask();
  });

  it('that another limit counts are no longer counted, and stay open', async () => {
    const { port } = await start();
    const exempt = await Promise.all(Array.from({ length: 3 }, () => enter(port)));
    for (const guest of exempt) await guest.ask(GET.replace('/', '/exempt'));
    const held = [await enter(port), await enter(port), await enter(port), await enter(port)];
    for (const guest of [...exempt, ...held]) await guest.ask();
    const late = await enter(port);
    await held[0]?.gone;
    for (const guest of [...exempt, late]) await guest.ask();
  });

  it('are admitted over TLS as well', async () => {
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
    await late.ask(GET.repeat(100), 100);
  });
});

describe('requests', () => {
  it('that are pipelined take turns with those of others', async () => {
    // Turns have no time, so every request waits for its own turn.
    const { port, asked } = await start({ ...ROOM, budgetMs: 0 });
    const [greedy, modest] = [await enter(port), await enter(port)];
    const all = greedy.ask(GET.repeat(2000), 2000);
    const before = asked();
    for (let n = 0; n < 10; n += 1) await modest.ask();
    // Each waited for at most a few of the others, not for all of them.
    expect(asked() - before).toBeLessThan(1000);
    await all;
  });
});
