import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Endpoints } from '../../../src/http/server/listening/endpoint.js';
import { makeCertificate } from '../../kit/real/certificate.js';

/** An endpoint with TLS of a server with this domain; `ask` returns its reply to plain HTTP. */
async function open(domain: string, host = '127.0.0.1') {
  const { certPem, keyPem, remove } = await makeCertificate(['panel.example']);
  remove();
  const endpoints = new Endpoints((_req, res) => res.end('secret'), { domain: () => domain });
  onTestFinished(() => endpoints.close());
  const { address } = await endpoints.open(0, host, { cert: Buffer.from(certPem), key: Buffer.from(keyPem) });
  const { port } = address;
  const raw = (bytes: string): Promise<string> =>
    new Promise((resolve) => {
      let answer = '';
      const socket = connect(port, host, () => socket.write(bytes));
      socket.on('data', (data) => (answer += data.toString('latin1')));
      socket.on('error', () => undefined).on('close', () => resolve(answer));
    });
  const ask = async (written: string, target = '/'): Promise<string> => {
    const name = written.replaceAll('PORT', String(port));
    const answer = await raw(`POST ${target} HTTP/1.1\r\nHost: ${name}\r\nContent-Length: 3\r\n\r\nabc`);
    expect(answer).not.toContain('secret');
    expect(answer).toMatch(/\r\n\r\n$/);
    const [, status] = /^HTTP\/1\.1 (\d+) /.exec(answer) ?? [];
    return `${status} ${/^Location: (.*)\r$/m.exec(answer)?.[1] ?? ''}`.trim().replaceAll(String(port), 'PORT');
  };
  return { ask, raw, port };
}

describe('plain HTTP on a TLS port', () => {
  it.each([
    ['panel.example:PORT', '/login?x=1', '307 https://panel.example:PORT/login?x=1'],
    ['PANEL.example:PORT', '/', '307 https://panel.example:PORT/'],
    // A router may forward another port to the panel.
    ['panel.example:8443', '/', '307 https://panel.example:8443/'],
    ['panel.example', '/', '307 https://panel.example/'],
    ['panel.example:443', '/', '307 https://panel.example/'],
    ['127.0.0.1:PORT', '/a', '307 https://127.0.0.1:PORT/a'],
    ['panel.example:PORT', '//evil.example/', '307 https://panel.example:PORT//evil.example/'],
    ['panel.example:PORT', '/\\evil.example', '307 https://panel.example:PORT/\\evil.example'],
  ])('at %s%s is redirected to the address of the panel', async (host, target, answer) => {
    const { ask } = await open('panel.example:2053');
    expect(await ask(host, target)).toBe(answer);
  });

  it.each([
    ...['evil.example:PORT', 'evil.example', 'panel.example.evil.example:PORT', 'xpanel.example:PORT'],
    ...['panel.example.:PORT', 'panel.example@evil.example:PORT', 'evil.example@panel.example', 'a b', '"><x>', ''],
    ...['panel.example:PORT@evil.example', 'panel.example:x', 'panel.example:', 'panel.example,evil.example'],
    ...[
      '127.0.0.1:1',
      '127.0.0.1',
      '127.1:PORT',
      '2130706433:PORT',
      '0x7f000001:PORT',
      '0.0.0.0:PORT',
      '127.0.0.2:PORT',
    ],
    ...['localhost:PORT', '[::1]:PORT', '[::ffff:7f00:2]:PORT', 'pänel.example:PORT', 'xn--pnel-5qa.example:PORT'],
  ])('at "%s" is rejected', async (host) => {
    const { ask } = await open('panel.example');
    expect(await ask(host)).toBe('400');
  });

  it.each([
    ...[
      'http://panel.example/',
      'https://evil.example/',
      'http://evil.example@panel.example/',
      '*',
      'panel.example:443',
    ],
    ...['/ä', 'x'],
  ])('with the target %s is rejected', async (target) => {
    const { ask } = await open('panel.example');
    expect(await ask('panel.example:PORT', target)).toBe('400');
  });

  it('is redirected to an internationalized domain in its ASCII form', async () => {
    const { ask } = await open('xn--pnel-5qa.example');
    expect(await ask('XN--pnel-5qa.example:PORT')).toBe('307 https://xn--pnel-5qa.example:PORT/');
    expect(await ask('p\u00e4nel.example:PORT')).toBe('400');
  });

  it('is rejected without a Host, and with two', async () => {
    const { raw, port } = await open('panel.example');
    expect(await raw('GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw('GET / HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    const twice = `Host: panel.example:${port}\r\nHost: evil.example\r\n`;
    expect(await raw(`GET / HTTP/1.1\r\n${twice}\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw(`CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n`)).not.toContain('Location');
  });

  it('without a domain is redirected only to the address of the connection', async () => {
    const { ask } = await open('');
    expect(await ask('127.0.0.1:PORT')).toBe('307 https://127.0.0.1:PORT/');
    expect(await ask('[::ffff:127.0.0.1]:PORT')).toBe('307 https://127.0.0.1:PORT/');
    expect(await ask('panel.example:PORT')).toBe('400');
  });

  it.each([
    ['[::1]:PORT', '307 https://[::1]:PORT/'],
    ['[0:0:0:0:0:0:0:1]:PORT', '307 https://[::1]:PORT/'],
    ['[0000::0001]:PORT', '307 https://[::1]:PORT/'],
    ['[2001:db8::1]:8443', '307 https://[2001:db8::1]:8443/'],
    ['[::1]', '400'],
    ['::1:PORT', '400'],
    ['[::2]:PORT', '400'],
    ['[::1%25lo]:PORT', '400'],
    ['127.0.0.1:PORT', '400'],
  ])('over IPv6 at %s: %s', async (host, answer) => {
    const { ask } = await open('[2001:db8::1]', '::1');
    expect(await ask(host)).toBe(answer);
  });
});
