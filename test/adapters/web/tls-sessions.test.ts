import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TlsSessions } from '../../../src/adapters/web/tls-sessions.js';
import { makeCertificate, type TestCertificate } from '../../kit/real/certificate.js';

const MINUTE = 60_000;
let certificate: TestCertificate;
let port: number;
let close: () => void;
let clock = 0;
let sessions: TlsSessions;

beforeAll(async () => {
  certificate = await makeCertificate(['panel.example']);
  const server = createServer({ cert: certificate.certPem, key: certificate.keyPem }, (socket) => {
    socket.on('error', () => undefined);
    socket.end('hello');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
  close = () => server.close();
});
afterAll(() => {
  close();
  certificate.remove();
});
beforeEach(() => {
  clock = 0;
  sessions = new TlsSessions(() => clock);
});

/** Connects as `dial` does, and reads to the end. Resolves to whether no certificate was looked at. */
async function goesOn(place = 'panel.example 127.0.0.1'): Promise<boolean> {
  const session = sessions.of(place);
  const options = { port, host: '127.0.0.1', servername: 'panel.example', ca: certificate.certPem };
  const socket: TLSSocket = connect({ ...options, ...(session && { session }) });
  await once(socket, 'secureConnect');
  sessions.follow(place, socket);
  const reused = socket.isSessionReused();
  socket.resume();
  await once(socket, 'close');
  return reused;
}

describe('TLS sessions', () => {
  it('are resumed only with the server that issued them', async () => {
    expect(await goesOn()).toBe(false);
    expect(await goesOn()).toBe(true);
    expect(await goesOn()).toBe(true);
    expect(await goesOn('panel.example 127.0.0.2')).toBe(false);
  });

  it('end ten minutes after the certificate was seen, however often they were used meanwhile', async () => {
    expect(await goesOn()).toBe(false);
    for (let minute = 1; minute < 10; minute += 3) {
      clock = minute * MINUTE;
      expect(await goesOn()).toBe(true);
    }
    clock = 10 * MINUTE;
    expect(await goesOn()).toBe(false);
    expect(await goesOn()).toBe(true);
  });

  it('are dropped after a failed handshake, also of a connection that resumed one', async () => {
    const place = 'panel.example 127.0.0.1';
    await goesOn();
    const options = { port, host: '127.0.0.1', servername: 'panel.example', ca: certificate.certPem };
    const socket = connect({ ...options, session: sessions.of(place) });
    await once(socket, 'secureConnect');
    expect(socket.isSessionReused()).toBe(true);
    sessions.forget(place);
    sessions.follow(place, socket);
    socket.resume();
    await once(socket, 'close');
    expect(sessions.of(place)).toBeUndefined();
    expect(await goesOn()).toBe(false);
  });
});
