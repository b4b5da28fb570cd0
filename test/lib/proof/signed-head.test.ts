import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createHeadKey,
  type Head,
  isSignedBy,
  publicKeyPem,
  readHead,
  readPublicKey,
  signHead,
} from '../../../src/lib/proof/signed-head.js';

const head: Head = {
  panel: '01890000-0000-7000-8000-000000000001',
  position: 42,
  hash: 'a'.repeat(64),
  root: 'b'.repeat(64),
  at: 1_767_225_600_000,
};

describe('a signed head', () => {
  const key = createHeadKey();
  const signed = signHead(head, key);

  it('is signed over its values on lines of their own, with plain Ed25519', () => {
    const { panel, position, hash, root, at } = head;
    const text = Buffer.from(`portolan-head-1\n${panel}\n${position}\n${hash}\n${root}\n${at}\n`);
    const pem = createPublicKey(publicKeyPem(key.publicKey));
    expect(verify(null, text, pem, Buffer.from(signed.signature, 'base64'))).toBe(true);
    expect(isSignedBy(signed, key.publicKey)).toBe(true);
    expect(isSignedBy(signed, createHeadKey().publicKey)).toBe(false);
  });

  it('is not valid after any of its values was changed', () => {
    const changes = [
      { panel: '01890000-0000-7000-8000-000000000002' },
      { position: 43 },
      { hash: 'c'.repeat(64) },
      { root: 'c'.repeat(64) },
      { at: head.at + 1 },
      { key: '0'.repeat(16) },
      { signature: `${'A'.repeat(86)}==` },
    ];
    for (const change of changes) expect(isSignedBy({ ...signed, ...change }, key.publicKey)).toBe(false);
  });

  it('is read from JSON, and other values are not', () => {
    expect(readHead(JSON.parse(JSON.stringify(signed)))).toStrictEqual(signed);
    const wrong = [
      null,
      [],
      'text',
      {},
      { ...signed, format: 'portolan-head-2' },
      { ...signed, position: -1 },
      { ...signed, position: 0 },
      { ...signed, position: '42' },
      { ...signed, at: 1.5 },
      { ...signed, hash: 'A'.repeat(64) },
      { ...signed, root: '' },
      { ...signed, panel: 'mine' },
      { ...signed, signature: 'AA==' },
    ];
    for (const value of wrong) expect(readHead(value)).toBeNull();
  });

  it('accepts a public key as PEM, base64 and hex', () => {
    const hex = Buffer.from(key.publicKey, 'base64').toString('hex');
    for (const text of [publicKeyPem(key.publicKey), `${key.publicKey}\n`, hex])
      expect(readPublicKey(text)).toBe(key.publicKey);
    const wrong = [
      '',
      'key',
      key.privateKey,
      hex.slice(2),
      '-----BEGIN PUBLIC KEY-----\nMA==\n-----END PUBLIC KEY-----',
    ];
    for (const text of wrong) expect(readPublicKey(text)).toBeNull();
  });
});
