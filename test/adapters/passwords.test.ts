import { hash as bcrypt } from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { scryptPasswords } from '../../src/adapters/passwords.js';

const passwords = scryptPasswords();

describe('passwords', () => {
  it('are kept as PHC strings with a salt of their own', async () => {
    const [one, other] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')]);
    expect(one).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(one).not.toBe(other);
    expect(await passwords.verify('correct horse', one)).toBe(true);
    expect(await passwords.verify('correct horse ', one)).toBe(false);
  });

  it.each([null, 'a hash'])('are compared once for all who ask the same at about the same time (%j)', async (kind) => {
    const hash = kind === null ? null : await passwords.hash('correct horse');
    const ask = (password: string, name?: string) => passwords.verify(password, hash, name);
    const first = ask('correct horse', 'admin');
    expect(ask('correct horse', 'admin')).toBe(first);
    const others = [ask('battery staple', 'admin'), ask('correct horse', 'root'), ask('correct horse')];
    expect(others).not.toContain(first);
    expect(await first).toBe(hash !== null);
    expect(await Promise.all(others)).toEqual([false, hash !== null, hash !== null]);
    // What was right is remembered for a moment, what was wrong is not.
    expect(ask('correct horse', 'admin') === first).toBe(hash !== null);
    expect(await ask('correct horse', 'admin')).toBe(hash !== null);
  });

  it('are compared with hashes of bcrypt too, which other panels make and this one does not', async () => {
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
    // It would take the machine for hours.
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
  ])('never match %j, and take their time', async (hash) => {
    const started = performance.now();
    await passwords.verify('x', await passwords.hash('y'));
    const usual = (performance.now() - started) / 2;
    const again = performance.now();
    expect(await passwords.verify('x', hash)).toBe(false);
    expect(performance.now() - again).toBeGreaterThan(usual / 5);
  });
});
