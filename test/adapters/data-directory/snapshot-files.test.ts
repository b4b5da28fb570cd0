import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { assert as check, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { snapshotFiles } from '../../../src/adapters/data-directory/snapshot-files.js';
import { seal } from '../../../src/adapters/sqlite/keyring.js';
import { clientAdded, inboundAdded } from '../../kit/builders.js';
import { TestLog } from '../../kit/log.js';

const state = { clients: [[1, { email: 'canary@example.org' }]], text: 'Ünï' };

async function saved(position = 2) {
  const journal = new TestLog();
  journal.append(inboundAdded(), clientAdded());
  await journal.journal.snapshots.save('clients', 3, position, state);
  return { journal, snapshots: journal.journal.snapshots, file: join(journal.directory.snapshots, 'clients.snapshot') };
}

describe('a snapshot', () => {
  it('returns the stored state, also after a restart', async () => {
    const { journal, snapshots } = await saved();
    expect(snapshots.load('clients', 3)).toStrictEqual({ position: 2, state });
    expect(journal.reopen().snapshots.load('clients', 3)).toStrictEqual({ position: 2, state });
  });

  it('returns a large state, which it writes in parts, and none of it if a part is missing or misplaced', async () => {
    const { snapshots, file } = await saved();
    const clients = new Map(Array.from({ length: 2600 }, (_, n) => [n, { email: `client-${n}`, tags: ['a', n] }]));
    const large = { clients, list: Array.from({ length: 1700 }, (_, n) => `line ${n}`), deep: { set: new Set([1]) } };
    await snapshots.save('clients', 3, 2, large);
    expect(snapshots.load('clients', 3)).toStrictEqual({ position: 2, state: large });
    const whole = readFileSync(file);
    const parts: Buffer[] = [];
    for (let at = whole.indexOf(10) + 1; at < whole.length; ) {
      const end = at + 4 + whole.readUInt32BE(at);
      parts.push(whole.subarray(at, end));
      at = end;
    }
    expect(parts).toHaveLength(1 + 6 + 4);
    const [head, ...rest] = [whole.subarray(0, whole.indexOf(10) + 1), ...parts];
    const [a = whole, b = whole, c = whole, ...others] = rest;
    for (const changed of [[a, c, b, ...others], rest.slice(0, -1), [...rest, a], [a, b, b, ...others]]) {
      writeFileSync(file, Buffer.concat([head, ...changed]));
      expect(snapshots.load('clients', 3)).toBeNull();
    }
    writeFileSync(file, whole);
    expect(snapshots.load('clients', 3)).not.toBeNull();
  });

  it('of an earlier release, a single box, is read', async () => {
    const { journal, file } = await saved();
    const key = Buffer.alloc(32, 7);
    const { generation } = journal.log;
    const header = { generation, name: 'clients', version: 3, position: 2, hash: journal.log.hashAt(2) };
    const line = JSON.stringify(header);
    writeFileSync(file, Buffer.concat([Buffer.from(`${line}\n`), seal(key, serialize(state), line)]));
    const { snapshots } = journal.directory;
    expect(snapshotFiles(snapshots, key, journal.log).load('clients', 3)).toStrictEqual({ position: 2, state });
  });

  it('is replaced by the next one', async () => {
    const { snapshots } = await saved(1);
    await snapshots.save('clients', 3, 2, { newer: true });
    expect(snapshots.load('clients', 3)).toStrictEqual({ position: 2, state: { newer: true } });
  });

  it('cannot be read by other accounts', async () => {
    const { file } = await saved();
    expect(readFileSync(file).includes('canary')).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is ignored for another version of the fold, or another name', async () => {
    const { snapshots, file } = await saved();
    expect(snapshots.load('clients', 4)).toBeNull();
    expect(snapshots.load('inbounds', 3)).toBeNull();
    copyFileSync(file, file.replace('clients', 'inbounds'));
    expect(snapshots.load('inbounds', 3)).toBeNull();
  });

  it('is ignored if it belongs to another log', async () => {
    const [one, other] = [await saved(), await saved()];
    copyFileSync(one.file, other.file);
    expect(other.snapshots.load('clients', 3)).toBeNull();
  });

  it('is ignored if its position is after the end of the log', async () => {
    const { journal, snapshots } = await saved();
    const { generation } = journal.log;
    const shorter = {
      generation,
      rolledTo: 0,
      hashAt: (position: number) => (position > 1 ? null : journal.log.hashAt(position)),
    };
    const longer = { generation, rolledTo: 0, hashAt: () => 'another history' };
    const key = Buffer.alloc(32);
    for (const log of [shorter, longer]) {
      expect(snapshotFiles(journal.directory.snapshots, key, log).load('clients', 3)).toBeNull();
    }
    expect(snapshots.load('clients', 3)).not.toBeNull();
  });

  it('is ignored if it was written with another key', async () => {
    const { journal } = await saved();
    expect(snapshotFiles(journal.directory.snapshots, Buffer.alloc(32), journal.log).load('clients', 3)).toBeNull();
  });

  it('is ignored when any part of it was truncated or changed', async () => {
    const { snapshots, file } = await saved();
    const whole = readFileSync(file);
    check(
      property(integer({ min: 0, max: whole.length - 1 }), integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ mask;
        writeFileSync(file, changed);
        expect(snapshots.load('clients', 3)).toBeNull();
      }),
      { numRuns: 60 },
    );
    for (const length of [0, 1, 20, whole.length - 1]) {
      writeFileSync(file, whole);
      truncateSync(file, length);
      expect(snapshots.load('clients', 3)).toBeNull();
    }
    writeFileSync(file, whole);
    expect(snapshots.load('clients', 3)).not.toBeNull();
  });

  it('is not written for a position that the log does not have', async () => {
    const { journal, snapshots } = await saved();
    await snapshots.save('other', 1, 99, {});
    expect(readdirSync(journal.directory.snapshots)).toStrictEqual(['clients.snapshot']);
  });

  it('is removed with all others', async () => {
    const { snapshots, file } = await saved();
    snapshots.clear();
    expect(existsSync(file)).toBe(false);
    expect(snapshots.load('clients', 3)).toBeNull();
    expect(() => snapshots.clear()).not.toThrow();
  });
});
