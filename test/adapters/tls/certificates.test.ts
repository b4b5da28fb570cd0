import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { beforeAll, describe, expect, it } from 'vitest';
import { certificateProblem, pairProblem } from '../../../src/adapters/tls/certificates.js';
import { certificatePairs } from '../../../src/lib/certificate-pairs.js';
import { message, type Text } from '../../../src/messages/message.js';
import { makeCertificate } from '../../kit/real/certificate.js';

const CERTIFICATE = message('certificate.certificate');
const KEY = message('certificate.key');
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
  it('are accepted when they match', async () => {
    expect(await certificateProblem(cert, key)).toBeNull();
  });

  it('are rejected otherwise, without their content in the message', async () => {
    const text = file('text', 'root:secret:0');
    expect(await certificateProblem(cert, otherKey)).toStrictEqual(message('certificate.keyMismatch'));
    expect(await certificateProblem(join(folder, 'none'), key)).toStrictEqual(
      message('certificate.fileMissing', { what: CERTIFICATE }),
    );
    expect(await certificateProblem(cert, '/dev/zero')).toStrictEqual(message('certificate.notAFile', { what: KEY }));
    expect(await certificateProblem(folder, key)).toStrictEqual(message('certificate.notAFile', { what: CERTIFICATE }));
    expect(await certificateProblem(key, key)).toStrictEqual(message('certificate.fileNotPem'));
    for (const problem of [await certificateProblem(text, key), await certificateProblem(cert, text)]) {
      expect(problem).toMatchObject({ code: expect.stringMatching(/NotPem$/) });
      expect(JSON.stringify(problem)).not.toContain('secret');
    }
  });

  it('are rejected outside of their validity, with the date in the message', async () => {
    const DAY_MS = 86_400_000;
    const from = Date.UTC(2020, 0, 1);
    const made = [
      await makeCertificate(['old'], { notBefore: new Date(from), notAfter: new Date(from + 10 * DAY_MS) }),
      await makeCertificate(['new'], { notBefore: new Date(Date.now() + DAY_MS) }),
    ] as const;
    const [past, future] = made;
    expect(await certificateProblem(past.certFile, past.keyFile)).toStrictEqual(
      message('certificate.expired', { date: '2020-01-11' }),
    );
    expect(await certificateProblem(future.certFile, future.keyFile)).toMatchObject({
      code: 'certificate.notYetValid',
      params: { date: expect.stringMatching(/^20/) },
    });
    for (const one of made) one.remove();
  });

  it('are rejected when one file is missing, encrypted with a passphrase, or an incomplete chain', async () => {
    expect(await certificateProblem(cert, '')).toStrictEqual(message('certificate.fileNotSet', { what: KEY }));
    expect(await certificateProblem('', key)).toStrictEqual(message('certificate.fileNotSet', { what: CERTIFICATE }));
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    expect(await certificateProblem(cert, file('locked.pem', privateKey))).toStrictEqual(
      message('certificate.keyFileNotPem'),
    );
    const broken = `${readFileSync(cert, 'utf8')}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`;
    const problem = await certificateProblem(file('broken.pem', broken), key);
    expect(problem).toStrictEqual(message('certificate.unusable'));
  });
});

describe('an inline certificate and its key', () => {
  const lines = (path: string) => readFileSync(path, 'utf8').trim().split('\n');
  const problemOf = async (member: object): Promise<Text | string | null> => {
    const [pair, ...others] = certificatePairs({ tlsSettings: { certificates: [member] } });
    expect(others).toEqual([]);
    return pair === undefined ? 'no pair' : pairProblem(pair);
  };

  it('are accepted when they match, in several lines or in one, and beside files', async () => {
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

  it('are rejected otherwise, without their content in the message', async () => {
    expect(await problemOf({ certificate: lines(cert), key: lines(otherKey) })).toStrictEqual(
      message('certificate.keyMismatch'),
    );
    expect(await problemOf({ certificate: ['my secret'], key: lines(key) })).toStrictEqual(
      message('certificate.linesNotPem'),
    );
    expect(await problemOf({ certificate: lines(cert), key: ['my secret'] })).toStrictEqual(
      message('certificate.keyLinesNotPem'),
    );
    expect(await problemOf({ certificate: lines(cert), keyFile: cert })).toStrictEqual(
      message('certificate.keyFileNotPem'),
    );
    expect(await problemOf({ certificate: lines(cert) })).toStrictEqual(message('certificate.keyMissing'));
    expect(await problemOf({ key: lines(key) })).toStrictEqual(message('certificate.certificateMissing'));
  });

  it('are rejected outside of their validity', async () => {
    const DAY_MS = 86_400_000;
    const from = Date.UTC(2020, 0, 1);
    const past = await makeCertificate(['old'], { notBefore: new Date(from), notAfter: new Date(from + 10 * DAY_MS) });
    past.remove();
    const pem = { certificate: past.certPem.split('\n'), key: past.keyPem.split('\n') };
    expect(await problemOf(pem)).toStrictEqual(message('certificate.expired', { date: '2020-01-11' }));
  });

  it.each([[{ certificate: 'text' }], [{ certificate: [1] }], [{ certificate: [], key: { a: 1 } }]])(
    'are rejected as %j, which the core cannot read',
    async (member) => {
      expect(await problemOf(member)).toStrictEqual(message('certificate.linesMalformed'));
    },
  );

  it('need no key if they verify other certificates', async () => {
    expect(await problemOf({ usage: 'Verify', certificate: lines(cert) })).toBeNull();
    expect(await problemOf({ usage: 'verify', certificateFile: cert })).toBeNull();
    expect(await problemOf({ usage: 'verify', certificate: ['x'] })).toStrictEqual(message('certificate.linesNotPem'));
  });

  it('are only the members of a list of certificates: headers may have the same names', () => {
    const headers = { Key: 'abc', Certificate: ['x'] };
    expect(certificatePairs({ wsSettings: { headers }, tlsSettings: { certificates: [] } })).toEqual([]);
    const download = { downloadSettings: { tlsSettings: { certificates: [{ certificate: ['x'], key: ['y'] }] } } };
    expect(certificatePairs({ xhttpSettings: { extra: download } })).toHaveLength(1);
  });
});
