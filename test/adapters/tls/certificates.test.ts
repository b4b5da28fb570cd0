import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { beforeAll, describe, expect, it } from 'vitest';
import { certificateProblem, pairProblem } from '../../../src/adapters/tls/certificates.js';
import { certificatePairs } from '../../../src/lib/certificate-pairs.js';
import { makeCertificate } from '../../kit/real/certificate.js';

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
    expect(await certificateProblem(cert, key)).toBeNull();
  });

  it('are refused otherwise, without a word of what the files hold', async () => {
    const text = file('text', 'root:secret:0');
    expect(await certificateProblem(cert, otherKey)).toBe('The key does not belong to the certificate');
    expect(await certificateProblem(join(folder, 'none'), key)).toBe('There is no certificate file at that path');
    expect(await certificateProblem(cert, '/dev/zero')).toBe('The key file is not a file');
    expect(await certificateProblem(folder, key)).toBe('The certificate file is not a file');
    expect(await certificateProblem(key, key)).toBe('The certificate file does not hold a PEM certificate');
    for (const problem of [await certificateProblem(text, key), await certificateProblem(cert, text)]) {
      expect(problem).toContain('does not hold');
      expect(problem).not.toContain('secret');
    }
  });

  it('are refused outside of their dates, which the sentence names', async () => {
    const DAY_MS = 86_400_000;
    const from = Date.UTC(2020, 0, 1);
    const made = [
      await makeCertificate(['old'], { notBefore: new Date(from), notAfter: new Date(from + 10 * DAY_MS) }),
      await makeCertificate(['new'], { notBefore: new Date(Date.now() + DAY_MS) }),
    ] as const;
    const [past, future] = made;
    expect(await certificateProblem(past.certFile, past.keyFile)).toBe('The certificate expired on 2020-01-11');
    expect(await certificateProblem(future.certFile, future.keyFile)).toMatch(
      /^The certificate is not valid before 20/,
    );
    for (const one of made) one.remove();
  });

  it('are refused when a half is not named, is locked with a passphrase, or has a chain with a broken link', async () => {
    expect(await certificateProblem(cert, '')).toBe('No key file is named');
    expect(await certificateProblem('', key)).toBe('No certificate file is named');
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    expect(await certificateProblem(cert, file('locked.pem', privateKey))).toMatch(/without a passphrase$/);
    const broken = `${readFileSync(cert, 'utf8')}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`;
    const problem = await certificateProblem(file('broken.pem', broken), key);
    expect(problem).toBe('No server can use this certificate and key');
  });
});

describe('a certificate and its key as lines', () => {
  const lines = (path: string) => readFileSync(path, 'utf8').trim().split('\n');
  const problemOf = async (member: object): Promise<string | null> => {
    const [pair, ...others] = certificatePairs({ tlsSettings: { certificates: [member] } });
    expect(others).toEqual([]);
    return pair === undefined ? 'no pair' : pairProblem(pair);
  };

  it('are taken when they belong together, in several lines or in one, and beside files', async () => {
    expect(await problemOf({ certificate: lines(cert), key: lines(key) })).toBeNull();
    expect(await problemOf({ Certificate: [readFileSync(cert, 'utf8')], KEY: [readFileSync(key, 'utf8')] })).toBeNull();
    expect(await problemOf({ certificateFile: cert, key: lines(key) })).toBeNull();
    expect(await problemOf({ certificate: lines(cert), keyFile: key })).toBeNull();
    // A file goes before lines, as in the core.
    expect(await problemOf({ certificateFile: cert, certificate: ['x'], keyFile: key, key: ['y'] })).toBeNull();
    expect(
      await problemOf({ certificateFile: '', certificate: lines(cert), keyFile: null, key: lines(key) }),
    ).toBeNull();
  });

  it('are refused otherwise as files are, without a word of what they hold', async () => {
    expect(await problemOf({ certificate: lines(cert), key: lines(otherKey) })).toBe(
      'The key does not belong to the certificate',
    );
    expect(await problemOf({ certificate: ['my secret'], key: lines(key) })).toBe(
      'The certificate lines do not hold a PEM certificate',
    );
    expect(await problemOf({ certificate: lines(cert), key: ['my secret'] })).toBe(
      'The key lines do not hold a PEM private key without a passphrase',
    );
    expect(await problemOf({ certificate: lines(cert), keyFile: cert })).toBe(
      'The key file does not hold a PEM private key without a passphrase',
    );
    expect(await problemOf({ certificate: lines(cert) })).toBe('The certificate has no key');
    expect(await problemOf({ key: lines(key) })).toBe('The key has no certificate');
  });

  it('are refused outside of their dates', async () => {
    const DAY_MS = 86_400_000;
    const from = Date.UTC(2020, 0, 1);
    const past = await makeCertificate(['old'], { notBefore: new Date(from), notAfter: new Date(from + 10 * DAY_MS) });
    past.remove();
    const pem = { certificate: past.certPem.split('\n'), key: past.keyPem.split('\n') };
    expect(await problemOf(pem)).toBe('The certificate expired on 2020-01-11');
  });

  it.each([[{ certificate: 'text' }], [{ certificate: [1] }], [{ certificate: [], key: { a: 1 } }]])(
    'are refused as %j, which the core cannot read',
    async (member) => {
      expect(await problemOf(member)).toBe('The lines of a certificate and its key must be arrays of strings');
    },
  );

  it('need no key where others are checked against the certificate', async () => {
    expect(await problemOf({ usage: 'Verify', certificate: lines(cert) })).toBeNull();
    expect(await problemOf({ usage: 'verify', certificateFile: cert })).toBeNull();
    expect(await problemOf({ usage: 'verify', certificate: ['x'] })).toContain('do not hold a PEM certificate');
  });

  it('are only what a list of certificates holds: headers may be named so too', () => {
    const headers = { Key: 'abc', Certificate: ['x'] };
    expect(certificatePairs({ wsSettings: { headers }, tlsSettings: { certificates: [] } })).toEqual([]);
    const download = { downloadSettings: { tlsSettings: { certificates: [{ certificate: ['x'], key: ['y'] }] } } };
    expect(certificatePairs({ xhttpSettings: { extra: download } })).toHaveLength(1);
  });
});
