import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { CoreInbound } from '../../../../src/commands/ports/core.js';
import type { JsonObject } from '../../../../src/lib/json.js';
import { withoutCore } from '../../../kit/real/core-process.js';
import { withoutRight } from '../../../kit/real/rights.js';
import { eventually } from '../../../kit/wait.js';
import { addInbound, configOf, freePort, inboundOf, numberOf, type Place, pause, place } from '../kit.js';

const SUITE = 'a client that floods a target from many addresses';
const HELD = ['127.0.0.10', '127.0.0.11'];
const FREE = ['127.0.0.12', '127.0.0.13'];
const NEIGHBOUR = '127.0.0.7';

/** A connection of a client's own, which asks a web server for something that never ends. */
interface Call {
  readonly from: string;
  bytes: number;
  closed: boolean;
  end(): void;
}
interface Way {
  readonly name: string;
  readonly stream: JsonObject;
  dial(port: number, head: Buffer, from: string): Call;
}

const WAYS: readonly Way[] = [
  {
    name: 'straight',
    stream: { network: 'raw' },
    dial: (port, head, from) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from }, () => socket.write(head));
      const call: Call = { from, bytes: 0, closed: false, end: () => socket.destroy() };
      socket.on('data', (chunk: Buffer) => (call.bytes += chunk.length));
      socket.on('error', () => undefined).on('close', () => (call.closed = true));
      return call;
    },
  },
  {
    name: 'through a proxy',
    stream: { network: 'ws', wsSettings: { path: '/' }, sockopt: { trustedXForwardedFor: ['X-Forwarded-For'] } },
    dial: (port, head, from) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { 'X-Forwarded-For': from } });
      const call: Call = { from, bytes: 0, closed: false, end: () => socket.terminate() };
      socket.on('open', () => socket.send(head));
      socket.on('message', (chunk: Buffer) => (call.bytes += chunk.length));
      socket.on('error', () => undefined).on('close', () => (call.closed = true));
      return call;
    },
  },
];

describe.skipIf(withoutCore(SUITE) || withoutRight(SUITE))(SUITE, () => {
  let here: Place;
  let web: Server;

  beforeAll(async () => {
    here = place();
    await here.core.process.start(configOf([]));
    web = createServer((_, response) => response.write('.'));
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await here.dispose();
    web.closeAllConnections();
    await new Promise((resolve) => web.close(resolve));
  });

  it.each(WAYS)('$name: does not affect other clients, or its own allowed addresses', async (way) => {
    const { core } = here;
    const inbounds: CoreInbound[] = [];
    for (const [n, tag] of ['rogue', 'good'].entries()) {
      const config = { tag, protocol: 'vless', settings: { decryption: 'none' }, streamSettings: way.stream };
      inbounds.push(inboundOf({ ...config, port: await freePort() }, [{ email: `${tag}@x`, id: idOf(n) }]));
    }
    for (const inbound of inbounds) await addInbound(core, inbound);
    const calls: (readonly [Call[], number])[] = inbounds.map(({ config }) => [[], Number(config['port'])]);
    const { port } = web.address() as AddressInfo;
    const dial = (n: number, from: string): void =>
      void calls[n]?.[0].push(way.dial(calls[n]?.[1] ?? 0, requestOf(idOf(n), port), from));
    const back = [{ inbound: 'rogue', client: numberOf('rogue@x'), addresses: HELD }];
    try {
      let flooding = true;
      const cutting = (async () => {
        for (; flooding; await pause(15)) await core.addresses.disconnect(back, false);
      })();
      // So many at once that the core falls behind with its logs.
      for (let burst = 0; burst < 20; burst += 1) {
        for (let n = 0; n < 16; n += 1) {
          dial(0, [...HELD, ...FREE][n % 4] ?? '');
          if (n % 5 === 4) dial(1, NEIGHBOUR);
        }
        await pause(40);
      }
      flooding = false;
      await cutting;
      const [rogue = [], good = []] = calls.map(([some]) => some);
      await eventually(() => expect(good.every(({ bytes, closed }) => bytes > 0 || closed)).toBe(true));
      await core.addresses.disconnect(back, false);
      const closed = (some: readonly Call[]): number => some.filter((call) => call.closed).length;
      if (way.name === 'straight') {
        const held = rogue.filter(({ from }) => HELD.includes(from));
        await eventually(() => expect(closed(held)).toBe(held.length));
      }
      expect(closed(good)).toBe(0);
      expect(closed(rogue.filter(({ from }) => FREE.includes(from)))).toBe(0);
    } finally {
      for (const [some] of calls) for (const call of some) call.end();
      for (const inbound of inbounds) await core.inbounds.remove(inbound);
    }
  });
});

function idOf(n: number): string {
  return `00000000-0000-4000-8000-00000000000${n}`;
}

/** The head of VLESS for a web server on this machine, and a request to it. */
function requestOf(id: string, port: number): Buffer {
  const uuid = Buffer.from(id.replaceAll('-', ''), 'hex');
  return Buffer.concat([
    Buffer.from([0]),
    uuid,
    Buffer.from([0, 1, port >> 8, port & 255, 1, 127, 0, 0, 1]),
    Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  ]);
}
