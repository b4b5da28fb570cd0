import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createMemberKeys,
  fingerprintOf,
  isProof,
  openMaster,
  proofOf,
  sameFingerprint,
  sealMaster,
} from '../../src/cluster/key-handover.js';

const name = fc.stringMatching(/^[a-z0-9-]{1,20}$/);
const bindings = fc.record({ member: name, leader: name, log: fc.uuid() });
const masters = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));

describe('the hand-over of the master key', () => {
  it('opens for its member, and for no other key, name, leader or log', () => {
    fc.assert(
      fc.property(masters, bindings, (master, binding) => {
        const keys = createMemberKeys();
        const sealed = sealMaster(master, keys.publicKey, binding);
        expect(openMaster(keys, sealed, binding)).toEqual(master);
        expect(() => openMaster(createMemberKeys(), sealed, binding)).toThrow();
        for (const field of ['member', 'leader', 'log'] as const)
          expect(() => openMaster(keys, sealed, { ...binding, [field]: `${binding[field]}x` })).toThrow();
      }),
      { numRuns: 30 },
    );
  });

  it('does not open after any byte was changed', () => {
    const keys = createMemberKeys();
    const binding = { member: 'two', leader: 'one', log: 'first' };
    const sealed = sealMaster(Buffer.alloc(32, 7), keys.publicKey, binding);
    const box = Buffer.from(sealed.box, 'base64');
    for (let at = 0; at < box.length; at += 1) {
      const changed = Buffer.from(box);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => openMaster(keys, { ...sealed, box: changed.toString('base64') }, binding)).toThrow();
    }
  });

  it('has fingerprints that depend on the key, the name and the log, and may be typed in any way', () => {
    const { publicKey } = createMemberKeys();
    const shown = fingerprintOf(publicKey, { member: 'two', log: 'first' });
    expect(shown).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/);
    expect(sameFingerprint(shown.toLowerCase().replaceAll('-', ' '), shown)).toBe(true);
    const others = [
      fingerprintOf(createMemberKeys().publicKey, { member: 'two', log: 'first' }),
      fingerprintOf(publicKey, { member: 'three', log: 'first' }),
      fingerprintOf(publicKey, { member: 'two', log: 'second' }),
    ];
    for (const other of others) expect(sameFingerprint(other, shown)).toBe(false);
  });

  it('proves the master key without showing it', () => {
    const master = Buffer.alloc(32, 1);
    const proof = proofOf(master, ['request', 'two', 'a']);
    expect(isProof(proof, master, ['request', 'two', 'a'])).toBe(true);
    expect(isProof(proof, master, ['request', 'two', 'b'])).toBe(false);
    expect(isProof(proof, Buffer.alloc(32, 2), ['request', 'two', 'a'])).toBe(false);
    expect(isProof('', master, ['request', 'two', 'a'])).toBe(false);
  });
});
