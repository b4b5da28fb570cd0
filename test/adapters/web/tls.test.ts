import { execFile } from 'node:child_process';
import { constants } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWeb } from '../../../src/adapters/web/web.js';
import { makeCertificate, type TestCertificate } from '../../kit/real/certificate.js';
import { startSocksServer } from '../../kit/real/servers/socks-server.js';
import { startServer } from './kit.js';

const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
let certificate: TestCertificate;
let port: number;
/** The server names in the hello messages of clients. */
const names: string[] = [];
/** Of each request: whether its connection went on with an earlier session. */
const reused: boolean[] = [];
let location = '';
let close: () => void;

beforeAll(async () => {
  certificate = await makeCertificate(['panel.example']);
  const options = {
    cert: certificate.certPem,
    key: certificate.keyPem,
    SNICallback: (name: string, done: (error: null) => void) => {
      names.push(name);
      done(null);
    },
  };
  const server = createServer(options, (request, response) => {
    reused.push((request.socket as TLSSocket).isSessionReused());
    if (location !== '') response.writeHead(302, { location });
    response.end('secret place');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
  close = () => {
    server.close();
    server.closeAllConnections();
  };
});
afterAll(() => {
  close();
  certificate.remove();
});

/** Requests from a new process, which reads trusted certificates at its start. Resolves to the body or the error kind. */
async function asked(url: string, request: { readonly proxy?: string } = {}): Promise<string> {
  return (await allAsked([url], request))[0] ?? '';
}

/** One after the other, by one process. */
async function allAsked(
  urls: readonly string[],
  request: { readonly proxy?: string } = {},
): Promise<readonly string[]> {
  const script = `
    import { createWeb } from './src/adapters/web/web.ts';
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const web = createWeb({ allowPrivate: true, resolve });
    const said = [];
    for (const url of ${JSON.stringify(urls)})
      said.push(await web.request(url, ${JSON.stringify(request)}).then(({ body }) => body.toString(), ({ kind }) => kind));
    process.stdout.write(JSON.stringify(said));`;
  const args = ['--import', './scripts/typescript.mjs', '--input-type=module', '-e', script];
  const env = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: certificate.certFile };
  return JSON.parse((await promisify(execFile)(process.execPath, args, { env })).stdout) as readonly string[];
}

describe('over TLS', () => {
  it('the certificate must match the name, whatever the address', async () => {
    location = '';
    names.length = 0;
    expect(await asked(`https://panel.example:${port}/`)).toBe('secret place');
    expect(await asked(`https://other.example:${port}/`)).toBe('unreachable');
    expect(await asked(`https://127.0.0.1:${port}/`)).toBe('secret place');
    expect(names).toEqual(['panel.example', 'other.example']);
  });

  it('a session is resumed only with the host that issued it', async () => {
    location = '';
    reused.length = 0;
    const [panel, other] = [`https://panel.example:${port}/`, `https://other.example:${port}/`];
    const said = await allAsked([panel, panel, other, `https://127.0.0.1:${port}/`, panel]);
    expect(said).toEqual(['secret place', 'secret place', 'unreachable', 'secret place', 'secret place']);
    expect(reused).toEqual([false, true, false, true]);
  });

  it('the same applies through a proxy, which receives only names', async () => {
    location = '';
    const proxy = await startSocksServer();
    const request = { proxy: `socks5://127.0.0.1:${proxy.port}` };
    try {
      expect(await asked(`https://panel.example:${port}/`, request)).toBe('secret place');
      expect(await asked(`https://other.example:${port}/`, request)).toBe('unreachable');
      expect(proxy.asked).toEqual([`panel.example:${port}`, `other.example:${port}`]);
    } finally {
      await proxy.stop();
    }
  });

  it('an untrusted certificate is rejected', async () => {
    const web = createWeb({ allowPrivate: true, resolve });
    await expect(web.request(`https://panel.example:${port}/`)).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('a redirect to plain HTTP is rejected', async () => {
    const plain = await startServer((_request, response) => void response.end('in the open'));
    location = plain.url;
    expect(await asked(`https://panel.example:${port}/`)).toBe('refused');
    expect(plain.knocks()).toBe(0);
  });

  it('a request is repeated without a session when the server rejects an earlier one', async () => {
    let hungUp = 0;
    // In TLS 1.2 without tickets the server keeps the sessions, and here it has lost them.
    const lossy = { maxVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_TICKET } as const;
    const server = createServer({ cert: certificate.certPem, key: certificate.keyPem, ...lossy }, (_, response) =>
      response.end('well'),
    );
    const known = new Set<string>();
    server.on('newSession', (id: Buffer, _data, done) => {
      known.add(id.toString('hex'));
      done();
    });
    server.on('resumeSession', (id: Buffer, done: (error: Error | null, session: null) => void) => {
      if (!known.has(id.toString('hex'))) return done(null, null);
      hungUp += 1;
      done(new Error('lost'), null);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `https://panel.example:${(server.address() as AddressInfo).port}/`;
    expect(await allAsked([url, url, url])).toEqual(['well', 'well', 'well']);
    expect(hungUp).toBeGreaterThan(0);
    server.close();
  });
});
