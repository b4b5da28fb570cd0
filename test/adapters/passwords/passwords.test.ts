import { type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { hash as bcrypt } from 'bcryptjs';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { BcryptThread } from '../../../src/adapters/passwords/bcrypt-thread.js';
import { scryptPasswords } from '../../../src/adapters/passwords/passwords.js';

const passwords = scryptPasswords();
const derive = vi.fn<(password: string, salt: Buffer, bytes: number, options: ScryptOptions) => Promise<Buffer>>(
  promisify(scrypt),
);
const counted = scryptPasswords(derive);
beforeEach(() => void derive.mockClear());

describe('passwords', () => {
  it('are stored as PHC strings, each with its own salt', async () => {
    const [one, other] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')]);
    expect(one).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(one).not.toBe(other);
    expect(await passwords.verify('correct horse', one)).toBe(true);
    expect(await passwords.verify('correct horse ', one)).toBe(false);
  });

  it('are compared on every call: a correct password is not cached', async () => {
    const hash = await passwords.hash('correct horse');
    const same = await Promise.all([1, 2, 3].map(() => counted.verify('correct horse', hash, [hash])));
    expect([same, await counted.verify('correct horse', hash, [hash])]).toEqual([[true, true, true], true]);
    expect(derive).toHaveBeenCalledTimes(4);
  });

  it('take the same work for every account, regardless of the kind of its hash', async () => {
    const scrypts = [await passwords.hash('one'), await passwords.hash('two')];
    const moved = await bcrypt('three', 4);
    const all = [...scrypts, moved, await bcrypt('four', 5), '', 'no hash'];
    const compare = vi.spyOn(BcryptThread.prototype, 'compare');
    onTestFinished(() => compare.mockRestore());
    const cases: [string, string | null, boolean][] = [
      ['two', scrypts[1] ?? '', true],
      ['one', scrypts[1] ?? '', false],
      ['three', moved, true],
      ['two', moved, false],
      ['x', null, false],
      ['x', '', false],
      ['no hash', 'no hash', false],
    ];
    for (const [password, hash, right] of cases) {
      expect(await counted.verify(password, hash, all)).toBe(right);
      const costs = compare.mock.calls.map(([, of]) => of.slice(4, 6));
      expect([derive.mock.calls.length, costs.sort()], `${password} ${hash}`).toEqual([1, ['04', '05']]);
      for (const spy of [derive, compare]) spy.mockClear();
    }
  });

  it('are also compared with bcrypt hashes, which other panels create and this one does not', async () => {
    const hash = await bcrypt('correct horse', 4);
    for (const name of ['$2a$', '$2b$', '$2y$'])
      expect(await passwords.verify('correct horse', hash.replace('$2b$', name))).toBe(true);
    expect(await passwords.verify('correct horse ', hash)).toBe(false);
    expect([hash, await passwords.hash('x'), '', '$2a$04$short'].map((text) => passwords.isForeign(text))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    // A comparison at this cost would take hours.
    expect(passwords.isForeign(hash.replace('$04$', '$31$'))).toBe(false);
    expect(await passwords.verify('correct horse', hash.replace('$04$', '$31$'))).toBe(false);
  });

  it.each([
    null,
    '',
    'plain',
    '$2b$12$abcdefghijklmnopqrstuv',
    '$scrypt$ln=40,r=8,p=3$AAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$scrypt$ln=15,r=8,p=3$AAAA$AA',
  ])('never match %j, which takes the work of one valid hash', async (hash) => {
    expect(await counted.verify('x', hash)).toBe(false);
    expect(derive.mock.calls).toStrictEqual([
      ['x', expect.any(Buffer), 32, { N: 2 ** 14, r: 8, p: 5, maxmem: expect.any(Number) as number }],
    ]);
  });
});
