import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { verbatim } from '../../../src/messages/message.js';
import { eventually } from '../../kit/wait.js';
import { startPanel } from '../kit/panel.js';

type Panel = Awaited<ReturnType<typeof startPanel>>;
type Said = { readonly type: string; readonly [key: string]: unknown };

const start = async () => {
  const panel = await startPanel();
  const { cookie } = await panel.browser().login();
  const listen = async (options: { readonly autoPong?: boolean } = {}) => {
    const ws = new WebSocket(`ws://127.0.0.1:${panel.port}/ws`, { headers: { cookie }, ...options });
    const said: Said[] = [];
    ws.on('message', (data) => said.push(JSON.parse(String(data)) as Said));
    ws.on('error', () => undefined);
    const closed = new Promise<number>((resolve) => ws.once('close', resolve));
    await once(ws, 'open');
    return { ws, said, closed, of: (type: string) => said.filter((message) => message.type === type) };
  };
  return { panel, cookie, listen };
};

/** More than the system buffers for one reader: the panel would have to buffer the rest. */
const flood = async (panel: Panel, count: number): Promise<void> => {
  for (let n = 1; n <= count; n += 1) {
    panel.given({ type: 'RecordCoreFailed', data: { reason: verbatim(`${n} ${'x'.repeat(500_000)}`), run: null } });
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const HANDSHAKE = [
  'Host: x',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** Sends bytes to a port, keeps its own side open, and reads everything until the other side ends. */
const talk = (port: number, text: string): Promise<string> =>
  new Promise((resolve) => {
    let heard = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => void socket.write(text));
    onTestFinished(() => void socket.destroy());
    socket.on('data', (data) => (heard += data.toString('latin1')));
    socket.on('end', () => resolve(heard));
    socket.on('error', () => resolve(heard));
  });

describe('a slow browser', () => {
  it('receives the latest message of each kind once it reads again, and others are not affected', async () => {
    const { panel, listen } = await start();
    const [slow, sound] = [await listen(), await listen()];
    slow.ws.pause();
    await flood(panel, 40);
    await eventually(() => expect(sound.of('notification')).toHaveLength(40));
    for (let n = 0; n < 3; n += 1) {
      panel.given({ type: 'ChangeSettings', data: { changes: { subTitle: `Title ${n}` } } });
      panel.tick();
    }
    await eventually(() => expect(sound.of('invalidate')).toHaveLength(3));
    await eventually(() => expect(sound.of('status')).toHaveLength(3));
    slow.ws.resume();
    await eventually(() => expect(slow.of('invalidate')).toHaveLength(1));
    await eventually(() => expect(slow.of('status')).toHaveLength(1));
    expect(slow.of('status')).toEqual(sound.of('status').slice(-1));
    expect(slow.of('notification').length).toBeLessThan(40);
    expect(slow.of('notification').at(-1)?.['body']).toMatch(/^40 /);
    // From then on it receives everything again.
    panel.given({ type: 'ChangeSettings', data: { changes: { subTitle: 'Mine' } } });
    await eventually(() => expect(slow.of('invalidate')).toHaveLength(2));
  });

  it('is disconnected when nothing is sent for 15 ticks, and others are not', async () => {
    const { panel, listen } = await start();
    const [stuck, sound] = [await listen(), await listen()];
    stuck.ws.pause();
    await flood(panel, 40);
    await eventually(() => expect(sound.of('notification')).toHaveLength(40));
    for (let n = 1; n <= 17; n += 1) {
      panel.tick();
      await eventually(() => expect(sound.of('status')).toHaveLength(n));
    }
    stuck.ws.resume();
    expect(await stuck.closed).toBe(1006);
    expect(stuck.of('status')).toEqual([]);
    expect(sound.ws.readyState).toBe(WebSocket.OPEN);
  });
});

describe('a connected browser', () => {
  it('that answers no ping is disconnected within 90 s, and one that does is not', async () => {
    const { panel, listen } = await start();
    const [dead, alive] = [await listen({ autoPong: false }), await listen()];
    for (let tick = 0; tick < 45; tick += 1) {
      panel.tick();
      // When the pong arrives, the panel has read everything that was sent before it.
      alive.ws.ping();
      await once(alive.ws, 'pong');
    }
    expect(await dead.closed).toBe(1006);
    expect(alive.ws.readyState).toBe(WebSocket.OPEN);
    expect(alive.of('status')).toHaveLength(45);
  });

  it('that sends too many messages is disconnected, and one that sends few is not', async () => {
    const { panel, listen } = await start();
    const [loud, quiet] = [await listen(), await listen()];
    for (let n = 0; n < 65; n += 1) loud.ws.send('x');
    expect(await loud.closed).toBe(1008);
    for (let tick = 0; tick < 3; tick += 1) {
      for (let n = 0; n < 40; n += 1) quiet.ws.send('x');
      quiet.ws.ping();
      await once(quiet.ws, 'pong');
      panel.tick();
    }
    expect(quiet.ws.readyState).toBe(WebSocket.OPEN);
  });

  it.each([
    ['a message that is too large', Buffer.from([0x82, 0xfe, 0x10, 0x01, 0, 0, 0, 0]), 1009],
    ['a message of 200 MB', Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0x0b, 0xeb, 0xc2, 0, 0, 0, 0, 0]), 1009],
    ['many parts of one message', Buffer.alloc(20_000, Buffer.from([0x00, 0x80, 0, 0, 0, 0])), 1002],
    ['a message without a mask', Buffer.from([0x81, 0x01, 0x41]), 1002],
    ['a reserved opcode', Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
    ['a compressed message', Buffer.from([0xc1, 0x80, 0, 0, 0, 0]), 1002],
    ['text that is not UTF-8', Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]), 1007],
  ])('that sends %s is closed', async (_, bytes, code) => {
    const { panel, cookie } = await start();
    const socket = await opened(panel, cookie);
    const heard: Buffer[] = [];
    socket.on('data', (data: Buffer) => heard.push(data));
    const ended = once(socket, 'close');
    socket.write(bytes);
    await ended;
    const close = Buffer.concat(heard);
    expect([close[0], close.readUInt16BE(2)]).toEqual([0x88, code]);
  });
});

/** A connection after the upgrade, as bytes. */
async function opened(panel: Panel, cookie: string): Promise<Socket> {
  const socket = connect(panel.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /ws HTTP/1.1\r\n${[...HANDSHAKE, `Cookie: ${cookie}`].join('\r\n')}\r\n\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  expect(head.toString()).toMatch(/^HTTP\/1\.1 101 /);
  return socket;
}

describe('a handshake', () => {
  const say = async (
    change: (lines: string[]) => string[],
    line = 'GET /ws HTTP/1.1',
  ): Promise<{ status: number; text: string }> => {
    const { panel, cookie } = await start();
    const lines = change([...HANDSHAKE, `Cookie: ${cookie}`]);
    const text = await talk(panel.port, `${line}\r\n${lines.join('\r\n')}\r\n\r\n`);
    return { status: Number(text.slice(9, 12)), text };
  };
  const without = (name: string) => (lines: string[]) => lines.filter((line) => !line.startsWith(name));
  const instead = (line: string) => (lines: string[]) => [...without(line.slice(0, line.indexOf(':')))(lines), line];

  it.each([
    ['without a key', without('Sec-WebSocket-Key'), 400],
    ['with a short key', instead('Sec-WebSocket-Key: short'), 400],
    ['of version 8', instead('Sec-WebSocket-Version: 8'), 400],
    ['without a version', without('Sec-WebSocket-Version'), 400],
    ['with a host that is none', instead('Host: evil"><x>'), 400],
    ['from a sandboxed page', (lines: string[]) => [...lines, 'Origin: null'], 403],
    ['from the same host over TLS', (lines: string[]) => [...lines, 'Origin: https://x'], 403],
    ['from another port', (lines: string[]) => [...lines, 'Origin: http://x:8080'], 403],
    ['from another site, as the browser says', (lines: string[]) => [...lines, 'Sec-Fetch-Site: cross-site'], 403],
    [
      'with a token as its protocol',
      (lines: string[]) => [...without('Cookie')(lines), 'Sec-WebSocket-Protocol: t'],
      401,
    ],
  ])('%s is rejected, and the connection ends', async (_, change, status) => {
    expect(await say(change)).toMatchObject({ status });
  });

  it.each(['GET /', 'GET /panel/api/server/status', 'POST /ws', 'GET /ws/', 'GET //ws'])(
    'at %s gets an empty reply, and the connection ends',
    async (line) => {
      expect(await say((lines) => lines, `${line} HTTP/1.1`)).toMatchObject({ status: 404 });
    },
  );

  it('on the port of the subscription server is rejected, and the connection is closed', async () => {
    const { panel, cookie } = await start();
    const port = Number(new URL(panel.subscriptions).port);
    const lines = [...HANDSHAKE, `Cookie: ${cookie}`].join('\r\n');
    expect(await talk(port, `GET /ws HTTP/1.1\r\n${lines}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('behind a trusted proxy may have another port and scheme, but not another host name', async () => {
    const { panel, cookie } = await start();
    const ask = (origin: string) => {
      const forwarded = [
        'X-Forwarded-For: 198.51.100.1',
        'X-Forwarded-Host: panel.example',
        'X-Forwarded-Proto: https',
      ];
      const lines = [...HANDSHAKE, `Cookie: ${cookie}`, ...forwarded, `Origin: ${origin}`].join('\r\n');
      const socket = connect(panel.port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      socket.write(`GET /ws HTTP/1.1\r\n${lines}\r\n\r\n`);
      return once(socket, 'data').then(([data]) => Number(String(data).slice(9, 12)));
    };
    expect(await ask('https://panel.example')).toBe(101);
    expect(await ask('https://panel.example:8443')).toBe(101);
    expect(await ask('https://other.example')).toBe(403);
  });

  it('accepts no sub-protocol and no compression', async () => {
    const { panel, cookie } = await start();
    const offers = [
      'Sec-WebSocket-Protocol: a, b',
      'Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99',
    ];
    const socket = connect(panel.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(`GET /ws HTTP/1.1\r\n${[...HANDSHAKE, `Cookie: ${cookie}`, ...offers].join('\r\n')}\r\n\r\n`);
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1\.1 101 /);
    expect(head.toString()).not.toMatch(/protocol:|extensions/i);
  });
});

describe('an offer of another protocol', () => {
  const offer = 'Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk';

  it('is not accepted, and the request is answered', async () => {
    const { panel, cookie } = await start();
    const answer = await talk(
      panel.port,
      `GET /panel/api/server/status HTTP/1.1\r\n${offer}\r\nCookie: ${cookie}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('{"success":true');
    expect(await talk(panel.port, `GET /nope HTTP/1.1\r\n${offer}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('with a body is rejected, because it would be answered as if it had none', async () => {
    const { panel, cookie } = await start();
    const head = `POST /panel/setting/update HTTP/1.1\r\n${offer}\r\nCookie: ${cookie}\r\nContent-Length: 2\r\n\r\n{}`;
    expect(await talk(panel.port, head)).toMatch(/^HTTP\/1\.1 400 /);
  });
});
