import { createServer } from 'node:net';
import { hostname, type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isPublic, OwnAddresses } from '../../../src/adapters/web/address.js';
import { createWeb } from '../../../src/adapters/web/web.js';
import type { WebError } from '../../../src/commands/ports/web.js';
import { startServer } from './kit.js';

const guarded = createWeb({ allowPrivate: false });
const failure = (task: Promise<unknown>): Promise<WebError> =>
  task.then(
    () => expect.fail('it was asked'),
    (error: WebError) => error,
  );

/** Each spells an address of this machine or of its neighbourhood; PORT is where the canary sits. */
const hosts = [
  ['loopback', '127.0.0.1'],
  ['all of loopback', '127.8.9.10'],
  ['IPv6 loopback', '[::1]'],
  ['the name', 'localhost'],
  ['the name in capitals', 'LOCALHOST'],
  ['the name with a dot', 'localhost.'],
  ['below the name', 'foo.localhost'],
  ['below the name, with a dot', 'a.b.localhost.'],
  ['another name of loopback', 'ip6-localhost'],
  ['its old long name', 'localhost.localdomain'],
  ['this machine', hostname()],
  ['an address with a dot', '127.0.0.1.'],
  ['a number', '2130706433'],
  ['hexadecimal', '0x7f000001'],
  ['hexadecimal parts', '0x7f.1'],
  ['octal', '0177.0.0.1'],
  ['two parts', '127.1'],
  ['wide digits', '１２７.０.０.１'],
  ['dots of another script', '127。0。0。1'],
  ['an escaped letter', '%6cocalhost'],
  ['unspecified', '0.0.0.0'],
  ['nothing but zero', '0'],
  ['IPv6 unspecified', '[::]'],
  ['10/8', '10.1.2.3'],
  ['172.16/12', '172.16.0.1'],
  ['192.168/16', '192.168.1.1'],
  ['shared addresses', '100.64.0.1'],
  ['the metadata service', '169.254.169.254'],
  ['the same in hexadecimal', '0xA9FEA9FE'],
  ['the metadata service of another cloud', '[fd00:ec2::254]'],
  ['a cloud’s own public-looking address', '168.63.129.16'],
  ['link-local', '[fe80::1]'],
  ['unique local', '[fd12:3456::1]'],
  ['site local', '[fec0::1]'],
  ['multicast', '224.0.0.1'],
  ['IPv6 multicast', '[ff02::1]'],
  ['broadcast', '255.255.255.255'],
  ['documentation', '192.0.2.1'],
  ['reserved', '240.0.0.1'],
  ['mapped', '[::ffff:127.0.0.1]'],
  ['mapped in hexadecimal', '[::ffff:7f00:1]'],
  ['compatible', '[::127.0.0.1]'],
  ['translated', '[::ffff:0:127.0.0.1]'],
  ['NAT64', '[64:ff9b::7f00:1]'],
  ['NAT64 of a private address', '[64:ff9b::10.0.0.1]'],
  ['local NAT64', '[64:ff9b:1::7f00:1]'],
  ['6to4', '[2002:7f00:1::]'],
  ['Teredo', '[2001:0:4136:e378:8000:63bf:80ff:fffe]'],
  ['IPv6 documentation', '[2001:db8::1]'],
  ['a private suffix', 'db.internal'],
  ['a neighbour', 'printer.local'],
  ['a short name', 'intranet'],
] as const;

describe('the guard of outgoing requests', () => {
  it.each(hosts)('rejects %s (%s) without sending a packet', async (_, host) => {
    const canary = await startServer((_request, response) => void response.end());
    const refused = await failure(guarded.request(`http://${host}:${canary.port}/`));
    expect(refused).toMatchObject({ name: 'WebError', kind: 'refused' });
    expect(refused.message).toMatch(/ could not be reached$/);
    expect(await guarded.problem(`http://${host}:${canary.port}/`)).toMatchObject({ code: 'network.addressNotPublic' });
    expect(canary.knocks()).toBe(0);
  });

  it('rejects the addresses of its own interfaces', () => {
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    expect(own.length).toBeGreaterThan(0);
    for (const { address } of own) expect(isPublic(address)).toBe(false);
    expect(isPublic('8.8.8.8')).toBe(true);
    expect(isPublic('8.8.8.8', new Set(['8.8.8.8']))).toBe(false);
    expect(isPublic('::ffff:8.8.8.8', new Set(['8.8.8.8']))).toBe(false);
  });

  it('notices new addresses of its interfaces within a second, and reads them no more often', () => {
    let [now, looks] = [0, 0];
    const there: { address: string }[] = [{ address: '192.0.2.7' }];
    const read = () => {
      looks += 1;
      return { eth0: there as NetworkInterfaceInfo[] };
    };
    const own = new OwnAddresses(read, () => now);
    expect(isPublic('8.8.4.4', own.all)).toBe(true);
    there.push({ address: '8.8.4.4' });
    now = 999;
    expect(isPublic('8.8.4.4', own.all)).toBe(true);
    expect(looks).toBe(1);
    now = 1000;
    expect(isPublic('8.8.4.4', own.all)).toBe(false);
    expect([...own.all]).toEqual(['192.0.2.7', '8.8.4.4']);
    expect(looks).toBe(2);
  });

  it.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '64:ff9b::808:808', '::ffff:8.8.8.8'])(
    'allows %s',
    (address) => expect(isPublic(address)).toBe(true),
  );

  it.each(['', 'example.com', '1.2.3', '8.8.8.8/32', ' 8.8.8.8'])('rejects %j, which is not an address', (text) =>
    expect(isPublic(text)).toBe(false),
  );

  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'data:text/plain,x',
    '//example.com/x',
    'example.com',
    'http://',
    'http:///',
    '',
    'http://exa mple.com/',
    'http://[::1%25lo]/',
    'http://1.2.3.4.5:99999/',
  ])('rejects the URL %j', async (url) => {
    const refused = await failure(guarded.request(url));
    expect(refused.kind).toBe('refused');
    expect(await guarded.problem(url)).toStrictEqual(refused.text);
  });

  it('checks the parsed form of unusual spellings', async () => {
    const canary = await startServer((_request, response) => void response.end());
    for (const url of [
      `http:127.0.0.1:${canary.port}`,
      `ht\ntp://127.0\t.0.1:${canary.port}`,
      `http:\\\\127.1:${canary.port}\\x`,
    ])
      expect((await failure(guarded.request(url))).kind).toBe('refused');
    expect(canary.knocks()).toBe(0);
  });

  it('rejects a URL with credentials, without them in the error', async () => {
    const refused = await failure(createWeb({ allowPrivate: true }).request('http://user:hunter2@127.0.0.1/'));
    expect(refused.kind).toBe('refused');
    expect(refused.message).not.toContain('hunter2');
  });

  it('returns the same error for a rejected, a closed and a silent address, and for an unresolvable name', async () => {
    const web = createWeb({ allowPrivate: true });
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const port = (silent.address() as { port: number }).port;
    const closed = await failure(web.request('http://127.0.0.1:1/'));
    const quiet = await failure(web.request(`http://127.0.0.1:${port}/`, { timeoutMs: 150 }));
    const refused = await failure(guarded.request(`http://127.0.0.1:${port}/`));
    const unknown = await failure(
      createWeb({ allowPrivate: false, resolve: () => Promise.reject(new Error('ENOTFOUND')) }).request(
        'http://a.example/',
      ),
    );
    silent.close();
    expect([closed.message, quiet.message, refused.message]).toEqual(Array(3).fill('127.0.0.1 could not be reached'));
    expect(unknown.message).toBe('a.example could not be reached');
    expect([closed.kind, quiet.kind, refused.kind, unknown.kind]).toEqual([
      'unreachable',
      'timeout',
      'refused',
      'unreachable',
    ]);
  });

  it('applies the permission of each request, also on a connection that an earlier one may use', async () => {
    const server = await startServer((_request, response) => void response.end('ok'));
    expect((await guarded.request(server.url, { allowPrivate: true })).status).toBe(200);
    expect((await failure(guarded.request(server.url))).kind).toBe('refused');
    expect(await guarded.problem(server.url, { allowPrivate: true })).toBeNull();
    expect(server.knocks()).toBe(1);
  });
});

describe('a host name', () => {
  it('is rejected if any of its addresses is private', async () => {
    const canary = await startServer((_request, response) => void response.end());
    const resolve = async () => ['8.8.8.8', '127.0.0.1'].map((address) => ({ address, family: 4 }));
    const web = createWeb({ allowPrivate: false, resolve });
    expect((await failure(web.request(`http://mixed.example:${canary.port}/`))).kind).toBe('refused');
    expect(canary.knocks()).toBe(0);
  });

  it('is resolved once, and only the checked address is dialed', async () => {
    const canary = await startServer((_request, response) => void response.end('inside'));
    const asked: string[] = [];
    // Nothing listens at the first address; the second one is the canary's.
    const resolve = async (host: string) => {
      asked.push(host);
      return [{ address: asked.length === 1 ? '127.0.0.3' : '127.0.0.1', family: 4 }];
    };
    const web = createWeb({ allowPrivate: true, resolve });
    expect((await failure(web.request(`http://rebind.example:${canary.port}/`))).kind).toBe('unreachable');
    expect(asked).toEqual(['rebind.example']);
    expect(canary.knocks()).toBe(0);
  });

  it('is sent as the host to the resolved address', async () => {
    const server = await startServer((_request, response) => void response.end('there'));
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const web = createWeb({ allowPrivate: true, resolve });
    const answer = await web.request(`http://panel.example:${server.port}/x?y`, { headers: { host: 'evil.example' } });
    expect(answer.body.toString()).toBe('there');
    expect(server.seen[0]?.headers.host).toBe(`panel.example:${server.port}`);
    expect(server.seen[0]?.url).toBe('/x?y');
  });

  it('has its next address tried when the first one does not accept the connection', async () => {
    const server = await startServer((_request, response) => void response.end('second'));
    const resolve = async () => [
      { address: '127.0.0.3', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    const answer = await createWeb({ allowPrivate: true, resolve }).request(`http://two.example:${server.port}/`);
    expect(answer.body.toString()).toBe('second');
  });

  it('that does not resolve ends with the timeout of the request', async () => {
    const web = createWeb({ allowPrivate: false, resolve: () => new Promise(() => undefined) });
    expect((await failure(web.request('http://never.example/', { timeoutMs: 50 }))).kind).toBe('timeout');
  });
});
