import { createServer, type Socket } from 'node:net';
import { Client } from 'ldapts';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDirectory } from '../../../src/adapters/directory/directory.js';
import type { DirectoryConfig } from '../../../src/commands/ports/directory.js';
import { freePort } from '../../kit/real/ports.js';
import { BASE_DN, BIND_DN, BIND_PASSWORD, type Slapd, startSlapd, withoutSlapd } from '../../kit/real/servers/slapd.js';

const PASSWORD = 'anna’s own password';

/** A directory, its warnings, and a clock that tests advance. */
function made() {
  const warnings: string[] = [];
  let clock = 0;
  const directory = createDirectory({
    warn: (_, fields) => warnings.push(String((fields as { reason: unknown }).reason)),
    now: () => clock,
  });
  return { ...directory, warnings, later: (ms: number) => void (clock += ms) };
}

const at = (port: number, more: Partial<DirectoryConfig> = {}): DirectoryConfig => ({
  host: '127.0.0.1',
  port,
  tls: false,
  bindDn: BIND_DN,
  bindPassword: BIND_PASSWORD,
  baseDn: BASE_DN,
  filter: '(objectClass=person)',
  attribute: 'uid',
  ...more,
});

const SUITE = 'the directory, with a real OpenLDAP server';
describe.skipIf(withoutSlapd(SUITE))(SUITE, () => {
  let slapd: Slapd;
  let place: DirectoryConfig;

  beforeAll(async () => {
    slapd = await startSlapd({ sizeLimit: 3 });
    await slapd.add(
      { uid: 'anna', mail: ['anna@home', 'a@home'], userPassword: PASSWORD, employeeType: 'yes' },
      { uid: 'bert', mail: 'bert@home', userPassword: 'bert’s', employeeType: 'no' },
      { uid: 'carl', mail: 'bert@home', userPassword: 'carl’s' },
      { uid: 'dora', mail: 'dora@home' },
      { uid: 'emil', mail: 'emil@home', employeeType: 'TRUE' },
    );
    place = at(slapd.port);
  });
  afterAll(() => slapd?.cleanUp());

  it('accepts only the right password', async () => {
    const { verifyPassword, warnings } = made();
    expect(await verifyPassword(place, 'anna', PASSWORD)).toBe(true);
    expect(await verifyPassword({ ...place, bindDn: '', bindPassword: '' }, 'anna', PASSWORD)).toBe(true);
    expect(await verifyPassword({ ...place, attribute: 'mail' }, 'a@home', PASSWORD)).toBe(true);
    const wrong: [string, string][] = [
      ['anna', 'bert’s'],
      ['bert', PASSWORD],
      ['nobody', PASSWORD],
      ['anna', ''],
      ['anna', ' \t\n'],
      ['dora', '\u00a0\u200b\ufeff\u00ad'],
      ['anna', `\0${PASSWORD}`],
      ['', PASSWORD],
      ['dora', 'has no password at all'],
    ];
    for (const [name, password] of wrong)
      expect([name, await verifyPassword(place, name, password)]).toEqual([name, false]);
    // A wrong name causes no pause: the directory is queried again.
    expect(warnings).toEqual([]);
    expect(await verifyPassword(place, 'anna', PASSWORD)).toBe(true);
  });

  it('receives the same requests for known and unknown names and for right and wrong passwords', async () => {
    const { verifyPassword } = made();
    const bind = vi.spyOn(Client.prototype, 'bind');
    onTestFinished(() => bind.mockRestore());
    for (const [name, password] of [
      ['anna', PASSWORD],
      ['anna', 'wrong'],
      ['nobody', PASSWORD],
      ['dora', PASSWORD],
    ] as const) {
      bind.mockClear();
      expect(await verifyPassword(place, name, password)).toBe(name === 'anna' && password === PASSWORD);
      expect(bind, name).toHaveBeenCalledTimes(2);
      if (name === 'nobody') expect(JSON.stringify(bind.mock.calls)).not.toContain(PASSWORD);
    }
  });

  it.each([
    '*',
    'an*',
    '*)(uid=*',
    'anna)(|(uid=*',
    ')',
    '\\2a',
    'anna\0',
    '(&)',
    'anna,ou=people',
    'x'.repeat(256),
    'x'.repeat(1_000_000),
  ])('treats no name as a filter: %#', async (name) => {
    const { verifyPassword } = made();
    expect(await verifyPassword(place, name, PASSWORD)).toBe(false);
    expect(await verifyPassword(place, 'anna', PASSWORD)).toBe(true);
  });

  it('rejects a name that two entries have, or that the filter excludes', async () => {
    const { verifyPassword } = made();
    expect(await verifyPassword({ ...place, attribute: 'mail' }, 'bert@home', 'bert’s')).toBe(false);
    expect(await verifyPassword({ ...place, filter: '(employeeType=yes)' }, 'bert', 'bert’s')).toBe(false);
    expect(await verifyPassword({ ...place, filter: 'employeeType=no' }, 'bert', 'bert’s')).toBe(true);
    expect(await verifyPassword({ ...place, baseDn: `ou=ships,${BASE_DN}` }, 'anna', PASSWORD)).toBe(false);
  });

  it('lists all entries page by page, with the case of the request', async () => {
    const { entries } = made();
    const all = await entries({ ...place, attribute: 'MAIL' }, 'EmployeeType');
    expect(all).toEqual([
      { names: ['anna@home', 'a@home'], flag: 'yes' },
      { names: ['bert@home'], flag: 'no' },
      { names: ['bert@home'], flag: null },
      { names: ['dora@home'], flag: null },
      { names: ['emil@home'], flag: 'TRUE' },
    ]);
    expect(await entries({ ...place, attribute: 'description' }, 'employeeType')).toEqual([]);
  });

  it.each<[string, Partial<DirectoryConfig>]>([
    ['The directory does not accept the bind DN and its password', { bindPassword: 'wrong' }],
    ['The password of the bind DN is not set', { bindPassword: '' }],
    ['The base DN does not exist in the directory', { baseDn: 'dc=elsewhere' }],
    ['ldapUserFilter is not a valid filter', { filter: '(uid=' }],
    ['ldapUserAttr is not the name of an attribute', { attribute: 'uid)(x' }],
    ['No directory is set: ldapHost is empty', { host: '' }],
    // Only its root may see more than three entries: a truncated list is an error.
    ['The directory returned only part of the result: its limits are too low for this search', { bindDn: '' }],
  ])('returns an error rather than an incomplete list: %s', async (message, more) => {
    const { entries } = made();
    await expect(entries({ ...place, ...more }, 'employeeType')).rejects.toMatchObject({
      name: 'DirectoryError',
      message,
    });
  });

  it('uses TLS only with a trusted certificate', async () => {
    const { verifyPassword, entries, warnings } = made();
    const secure = at(slapd.tlsPort, { tls: true, host: 'localhost' });
    const untrusted = 'The certificate of the directory is not trusted: DEPTH_ZERO_SELF_SIGNED_CERT';
    await expect(entries(secure, 'employeeType')).rejects.toMatchObject({ message: untrusted });
    expect(await verifyPassword(secure, 'anna', PASSWORD)).toBe(false);
    expect(warnings).toEqual([untrusted]);
    await expect(entries(at(slapd.port, { tls: true }), 'x')).rejects.toMatchObject({ name: 'DirectoryError' });
  });

  describe('that is unreachable', () => {
    beforeEach(() => () => slapd.start());

    it('rejects logins at once, and is not queried again for a while', async () => {
      const { verifyPassword, entries, warnings, later } = made();
      await slapd.stop();
      expect(await verifyPassword(place, 'anna', PASSWORD)).toBe(false);
      await slapd.start();
      expect(await verifyPassword(place, 'anna', PASSWORD)).toBe(false);
      expect(warnings).toEqual(['The address of the directory refuses connections']);
      later(5_000);
      expect(await verifyPassword(place, 'anna', PASSWORD)).toBe(true);
      await slapd.stop();
      await expect(entries(place, 'x')).rejects.toMatchObject({
        message: 'The address of the directory refuses connections',
      });
    });
  });
});

/** A server that accepts connections and is not a directory. */
async function listen(use: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    use(socket);
  });
  const port = await freePort('tcp');
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return port;
}

describe('a server that is not a directory', () => {
  /** An empty entry for an unknown message id: 11 bytes. */
  const TINY = Buffer.from([0x30, 0x09, 0x02, 0x01, 0x63, 0x64, 0x04, 0x04, 0x00, 0x30, 0x00]);
  const FLOOD = Buffer.concat(Array.from({ length: 50_000 }, () => TINY));

  it.each(['', ' ', '\t\r\n', '\0', '\u00a0\u3000', '\u200b\u2060\ufeff', 'x\0y'])(
    'is not queried with a blank password, which it could treat as an anonymous login: %j',
    async (blank) => {
      let asked = 0;
      const port = await listen((socket) => {
        asked += 1;
        socket.on('data', () => (asked += 1));
      });
      expect(await made().verifyPassword(at(port, { bindDn: '' }), 'anna', blank)).toBe(false);
      expect(asked).toBe(0);
      const noWay = made().entries(at(port, { bindPassword: blank }), 'mail');
      await expect(noWay).rejects.toThrow('The password of the bind DN is not set');
      expect(asked).toBeLessThanOrEqual(1);
    },
  );

  it('delays a limited number of logins for a limited time', async () => {
    let asked = 0;
    const port = await listen(() => (asked += 1));
    const { verifyPassword, warnings } = made();
    const answers = await Promise.all(Array.from({ length: 20 }, () => verifyPassword(at(port), 'anna', PASSWORD)));
    expect(answers).not.toContain(true);
    expect(asked).toBe(8);
    expect(new Set(warnings)).toEqual(new Set(['The directory took longer than 5 seconds']));
    expect(await verifyPassword(at(port), 'anna', PASSWORD)).toBe(false);
    expect(asked).toBe(8);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['ends at once', (socket) => socket.end()],
    ['resets', (socket) => socket.resetAndDestroy()],
    ['floods with tiny messages', (socket) => void socket.on('data', () => socket.end(FLOOD))],
    ['floods without end', (socket) => pour(socket, FLOOD)],
    ['claims a message of a gigabyte', (socket) => pour(socket, Buffer.from([0x30, 0x84, 0x3f, 0xff, 0xff, 0xff]))],
    ['speaks HTTP', (socket) => void socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))],
  ])('causes one rejection without side effects: it %s', async (_, behave) => {
    const port = await listen(behave);
    const { verifyPassword, warnings } = made();
    expect(await verifyPassword(at(port), 'anna', PASSWORD)).toBe(false);
    expect(warnings).toHaveLength(1);
  });
});

/** Sends `first`, and then zeroes or `first` again while the client reads. */
function pour(socket: Socket, first: Buffer): void {
  const more = first.length > 1_000 ? first : Buffer.alloc(65_536);
  const write = (): void => {
    while (socket.writable && socket.write(more));
  };
  socket.on('drain', write);
  socket.once('data', () => {
    socket.write(first);
    write();
  });
}
