import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { firstValueFrom, Subject, take, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { askControl } from '../../../src/adapters/control/ask.js';
import { type ControlAnswer, type ControlRequest, MAX_LINE_BYTES } from '../../../src/adapters/control/protocol.js';
import { serveControl } from '../../../src/adapters/control/server.js';
import { controlSocket, makeSocketFolder } from '../../../src/adapters/control/socket-path.js';

let run: string;

beforeEach(() => {
  run = join(mkdtempSync(join(tmpdir(), 'portolan-control-')), 'run');
  mkdirSync(run, { mode: 0o700 });
});
afterEach(() => rmSync(dirname(run), { recursive: true, force: true }));

const echo = async (request: ControlRequest): Promise<ControlAnswer> => ({ ok: true, result: request });

async function serve(answer = echo, path = controlSocket(run)) {
  const server = await serveControl(path, answer);
  onTestFinished(() => server.close());
  return { server, path };
}

/** Writes as it is, and resolves to everything that came back until the end. */
function raw(path: string, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path, () => socket.end(bytes));
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined).on('close', () => resolve(text));
  });
}

const ask = (request: ControlRequest, timeoutMs = 60_000, path = controlSocket(run)) =>
  askControl(path, run, request, timeoutMs);

describe('the control socket', () => {
  it('transports a request and its response, for this account only', async () => {
    const { path } = await serve();
    const request = { type: 'x', data: { text: 'ä\n"'.repeat(1_000) } };
    expect(await ask(request)).toEqual({ ok: true, result: request });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('has no response when no panel runs, also when a crashed one has left its socket', async () => {
    expect(await ask({ type: 'x', data: null })).toBeNull();
    const { server, path } = await serve();
    linkSync(path, `${path}.kept`);
    await server.close();
    expect(existsSync(path)).toBe(false);
    renameSync(`${path}.kept`, path);
    expect(await ask({ type: 'x', data: null })).toBeNull();
    await serve();
    expect(await ask({ type: 'x', data: 1 })).toMatchObject({ ok: true });
  });

  it('replaces a socket that was left over', async () => {
    const path = controlSocket(run);
    const first = await serveControl(path, async () => ({ ok: true, result: 'first' }));
    onTestFinished(() => first.close());
    await serve(async () => ({ ok: true, result: 'second' }), path);
    expect(await ask({ type: 'x', data: null })).toEqual({ ok: true, result: 'second' });
  });

  it.each(['', 'GET / HTTP/1.1\r\n\r\n', '{}\n', '[]\n', '{"type":1,"data":{}}\n', `{"type":"${'x'.repeat(65)}"}\n`])(
    'answers invalid input with an error or not at all, and keeps serving: %j',
    async (bytes) => {
      const { path } = await serve();
      expect(await raw(path, bytes)).not.toContain('"ok":true');
      expect(await ask({ type: 'x', data: null })).toMatchObject({ ok: true });
    },
  );

  it('closes a connection whose line is too long', async () => {
    const { path } = await serve();
    expect(await raw(path, Buffer.alloc(MAX_LINE_BYTES + 2, 'x'))).toBe('');
    expect(await ask({ type: 'x', data: null })).toMatchObject({ ok: true });
  });

  it('reports a missing answer, and closes open connections when it closes', async () => {
    const arrived = new Subject<ControlRequest>();
    const { server, path } = await serve((request) => {
      arrived.next(request);
      return new Promise(() => undefined);
    });
    await expect(ask({ type: 'x', data: null }, 50)).rejects.toThrow(
      'The running panel is not responding: no response within',
    );
    const both = firstValueFrom(arrived.pipe(take(2), toArray()));
    const waiting = ask({ type: 'x', data: null });
    const ended = waiting.then(String, String);
    const idle = raw(path, '{"type":"x","data":1}\n');
    await both;
    await server.close();
    expect(await ended).toBe('MessageError: The running panel is not responding: the connection ended');
    await idle;
    expect(existsSync(path)).toBe(false);
  });

  it('has a short path when the path of the data directory is long', async () => {
    const deep = join(run, 'd'.repeat(120), 'run');
    mkdirSync(deep, { recursive: true, mode: 0o700 });
    const path = controlSocket(deep);
    onTestFinished(() => rmSync(dirname(path), { recursive: true, force: true }));
    expect(path.length).toBeLessThan(100);
    expect(controlSocket(`${deep}/../run`)).toBe(path);
    expect(controlSocket(join(run, 'e'.repeat(120), 'run'))).not.toBe(path);
    await serve(echo, path);
    expect(await askControl(path, deep, { type: 'x', data: 1 }, 5_000)).toMatchObject({ ok: true });
  });

  it('is not created in a folder that other accounts can write to', () => {
    chmodSync(run, 0o777);
    expect(() => makeSocketFolder(controlSocket(run))).toThrow('Another account can write to');
    const link = join(dirname(run), 'link');
    symlinkSync(run, link);
    expect(() => makeSocketFolder(join(link, 'control.sock'))).toThrow('Another account can write to');
  });
});
