import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { beforeAll, describe, expect, it } from 'vitest';
import { certificateFlaw } from '../../src/adapters/certificates.js';

const folder = mkdtempSync(join(tmpdir(), 'portolan-certificates-'));
const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
let cert = '';
let key = '';
let otherKey = '';

beforeAll(async () => {
  const [one, other] = await Promise.all([generate([{ name: 'commonName', value: 'a' }]), generate([])]);
  cert = file('cert.pem', one.cert);
  key = file('key.pem', one.private);
  otherKey = file('other.pem', other.private);
});

describe('a certificate and its key', () => {
  it('are taken when they belong together', async () => {
    expect(await certificateFlaw(cert, key)).toBeNull();
  });

  it('are refused otherwise, without a word of what the files hold', async () => {
    const text = file('text', 'root:secret:0');
    expect(await certificateFlaw(cert, otherKey)).toBe('The key does not belong to the certificate');
    expect(await certificateFlaw(join(folder, 'none'), key)).toBe('There is no certificate file at that path');
    expect(await certificateFlaw(cert, '/dev/zero')).toBe('The key file is not a file');
    expect(await certificateFlaw(folder, key)).toBe('The certificate file is not a file');
    expect(await certificateFlaw(key, key)).toBe('The certificate file does not hold a PEM certificate');
    for (const flaw of [await certificateFlaw(text, key), await certificateFlaw(cert, text)]) {
      expect(flaw).toContain('does not hold');
      expect(flaw).not.toContain('secret');
    }
  });
});
