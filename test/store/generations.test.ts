import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type DataDirectory,
  dataDirectory,
  prepareDataDirectory,
} from '../../src/adapters/data-directory/data-directory.js';
import { message, verbatim } from '../../src/messages/message.js';
import {
  assertWhole,
  completeSwitch,
  confirmSwitch,
  onTrial,
  recordAttempt,
  recordFailure,
  stage,
  switching,
  switchTo,
} from '../../src/store/generations.js';
import { temporaryFolder } from '../kit/log.js';
import { replacedStates } from '../kit/replaced-states.js';

/** A state as the switch sees it: files that belong together. `side` files are those of an unclean end. */
function put({ database, anchor, masterKey }: DataDirectory, name: string, side = false): void {
  mkdirSync(dirname(masterKey), { recursive: true });
  for (const file of [database, anchor, masterKey]) writeFileSync(file, name);
  if (side) for (const end of ['-wal', '-shm']) writeFileSync(`${database}${end}`, name);
}

/** Whose state lies in a directory: one name, or several when it is mixed. */
function owners({ database, anchor, masterKey }: DataDirectory): string[] {
  const files = [database, `${database}-wal`, `${database}-shm`, anchor, masterKey].filter((file) => existsSync(file));
  return [...new Set(files.map((file) => readFileSync(file, 'utf8')))];
}

function given(): DataDirectory {
  const directory = prepareDataDirectory(temporaryFolder());
  put(directory, 'old', true);
  return directory;
}

const WHY = message('backup.replacedByBackup', { sha256: 'abc' });

function decided(directory: DataDirectory): void {
  const staged = stage(directory);
  put(staged.directory, 'new');
  switchTo(directory, staged, WHY);
}

class Killed extends Error {}

/** Settles up to the `n`th step, as a process does that is killed there. Null: there are not so many. */
function settledUpTo(directory: DataDirectory, n: number): true | null {
  let left = n;
  try {
    completeSwitch(directory, () => {
      if (left === 0) throw new Killed();
      left -= 1;
    });
    return null;
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    return true;
  }
}

describe('a switch of the state', () => {
  it('changes nothing before it is requested; the next start deletes a staged state', () => {
    const directory = given();
    put(stage(directory).directory, 'new');
    expect(completeSwitch(directory)).toBeNull();
    expect(owners(directory)).toEqual(['old']);
    expect(existsSync(join(directory.root, 'staged'))).toBe(false);
  });

  it('moves the new state into place and keeps the whole former one', () => {
    const directory = given();
    decided(directory);
    expect(owners(directory)).toEqual(['old']);
    expect(switching(directory.root)).toBe(true);
    expect(completeSwitch(directory)).toEqual({ outcome: 'switched', why: WHY });
    expect(owners(directory)).toEqual(['new']);
    expect(existsSync(`${directory.database}-wal`)).toBe(false);
    const [aside = ''] = replacedStates(directory.root);
    const before = dataDirectory(join(directory.backups, aside));
    expect(owners(before)).toEqual(['old']);
    expect(existsSync(`${before.database}-wal`)).toBe(true);
    expect(existsSync(join(directory.root, 'staged'))).toBe(false);
  });

  it('is completed by the next start after a kill at any step; the log cannot be opened in between', () => {
    let steps = 0;
    for (;;) {
      const directory = given();
      decided(directory);
      if (settledUpTo(directory, steps) === null) break;
      const mixed = owners(directory).length !== 1 || !existsSync(directory.masterKey) || !existsSync(directory.anchor);
      if (mixed) expect(() => assertWhole(directory.root)).toThrow(/interrupted/);
      expect(completeSwitch(directory)).toEqual({ outcome: 'switched', why: WHY });
      expect(owners(directory)).toEqual(['new']);
      expect(() => assertWhole(directory.root)).not.toThrow();
      expect(readdirSync(directory.backups)).toHaveLength(1);
      steps += 1;
    }
    expect(steps).toBeGreaterThan(8);
  });

  it('ends when a start is ready', () => {
    const directory = given();
    decided(directory);
    completeSwitch(directory);
    recordAttempt(directory);
    expect(onTrial(directory.root)).toBe(true);
    confirmSwitch(directory);
    expect(onTrial(directory.root)).toBe(false);
    expect(completeSwitch(directory)).toBeNull();
    expect(owners(directory)).toEqual(['new']);
  });

  it('is rolled back with the reason when the new state does not start, wherever the rollback is interrupted', () => {
    const back = { outcome: 'returned', why: message('backup.rolledBack', { what: WHY, why: verbatim('no sense') }) };
    let steps = 0;
    for (;;) {
      const directory = given();
      decided(directory);
      completeSwitch(directory);
      recordAttempt(directory);
      recordFailure(directory.root, verbatim('no sense'));
      recordFailure(directory.root, verbatim('the first reason counts'));
      if (settledUpTo(directory, steps) === null) break;
      expect(completeSwitch(directory)).toEqual(back);
      expect(owners(directory)).toEqual(['old']);
      expect(existsSync(`${directory.database}-wal`)).toBe(true);
      // Each start reports it until it is recorded.
      expect(completeSwitch(directory)).toEqual(back);
      confirmSwitch(directory);
      expect(completeSwitch(directory)).toBeNull();
      expect(replacedStates(directory.root)).toEqual([expect.stringMatching(/^refused-/)]);
      steps += 1;
    }
    expect(steps).toBeGreaterThan(6);
  });

  it('is rolled back after two starts that ended before they were ready, without an error', () => {
    const directory = given();
    decided(directory);
    for (let start = 1; start <= 2; start += 1) {
      expect(completeSwitch(directory)).toEqual({ outcome: 'switched', why: WHY });
      recordAttempt(directory);
    }
    expect(completeSwitch(directory)).toEqual({
      outcome: 'returned',
      why: message('backup.rolledBack', { what: WHY, why: message('backup.notReady') }),
    });
    expect(owners(directory)).toEqual(['old']);
  });

  it('has no rollback when there was no former state', () => {
    const directory = prepareDataDirectory(temporaryFolder());
    decided(directory);
    expect(completeSwitch(directory)).toEqual({ outcome: 'switched', why: WHY });
    expect(onTrial(directory.root)).toBe(false);
    expect(owners(directory)).toEqual(['new']);
  });

  it('is rejected while another one is pending', () => {
    const directory = given();
    decided(directory);
    const second = stage(directory);
    put(second.directory, 'second');
    expect(() => switchTo(directory, second, verbatim('another one'))).toThrow(/in progress/);
    second.discard();
    completeSwitch(directory);
    expect(owners(directory)).toEqual(['new']);
  });

  it('is not lost when its staged directory is discarded', () => {
    const directory = given();
    const staged = stage(directory);
    put(staged.directory, 'new');
    switchTo(directory, staged, WHY);
    staged.discard();
    completeSwitch(directory);
    expect(owners(directory)).toEqual(['new']);
  });

  it('fails the start when its file is unreadable', () => {
    const directory = given();
    writeFileSync(join(directory.root, 'switch.json'), '{"phase":"clear","from":"../..","to":"/"}');
    expect(() => completeSwitch(directory)).toThrow(/records which state of the panel is current/);
    expect(onTrial(directory.root)).toBe(false);
    rmSync(join(directory.root, 'switch.json'));
    expect(completeSwitch(directory)).toBeNull();
  });
});
