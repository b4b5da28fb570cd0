import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readJson } from '../../../src/adapters/core/process/files.js';
import { chosenVersion } from '../../../src/adapters/core/process/locate.js';
import {
  NotRegularError,
  readRegular,
  replaceFile,
  replaceFileAsync,
} from '../../../src/adapters/data-directory/files.js';
import { masterKey } from '../../../src/adapters/sqlite/keyring.js';
import { lockDirectory } from '../../../src/adapters/sqlite/lock.js';
import { chosenPanel, takeReport } from '../../../src/launcher/launcher.js';
import { message, type Text } from '../../../src/messages/message.js';
import { TestLog, temporaryFolder } from '../../kit/log.js';
import { operatorWarnings } from '../../kit/warnings.js';

/** Objects that can be in the place of a file. Opening the pipe without further flags blocks forever. */
const plants: Readonly<Record<string, (file: string) => void>> = {
  'a pipe': (file) => void execFileSync('mkfifo', [file]),
  'a link': (file) => {
    writeFileSync(`${file}.target`, '1.2.3');
    symlinkSync(`${file}.target`, file);
  },
  'a folder': (file) => mkdirSync(file),
};
let warnings: readonly Text[] = [];

beforeEach(() => {
  warnings = operatorWarnings();
});

describe.each(Object.keys(plants))('%s in the place of a file', (kind) => {
  const plant = (...path: readonly string[]): string => {
    const file = join(...path);
    mkdirSync(join(file, '..'), { recursive: true });
    rmSync(file, { force: true });
    plants[kind]?.(file);
    return file;
  };

  it('is not read', () => {
    const file = plant(temporaryFolder(), 'x');
    expect(() => readRegular(file)).toThrow(NotRegularError);
  });

  it('is skipped with a warning if the file can be created again', async () => {
    const folder = temporaryFolder();
    expect(readJson(plant(folder, 'core.json'))).toBeNull();
    expect(chosenVersion(join(plant(folder, 'core', 'current'), '..'))).toBeNull();
    plant(folder, 'panel', 'current');
    plant(folder, 'panel', 'rolled-back.json');
    const { journal, directory } = new TestLog();
    const paths = [
      ...['core.json', 'core/current', 'panel/current', 'panel/rolled-back.json'].map((name) => join(folder, name)),
      join(directory.snapshots, 'clients.snapshot'),
    ];
    expect([chosenPanel(folder, '1.0.0'), takeReport(folder)]).toEqual([null, null]);
    plant(directory.snapshots, 'clients.snapshot');
    expect(journal.snapshots.load('clients', 1)).toBeNull();
    expect(warnings).toStrictEqual(paths.map((path) => message('file.ignored', { path })));
  });

  it('receives no data, and does not prevent writing', async () => {
    const file = join(temporaryFolder(), 'x');
    plant(`${file}.new`);
    plant(`${file}.next`);
    replaceFile(file, 'one');
    expect(readFileSync(file, 'utf8')).toBe('one');
    await replaceFileAsync(file, 'two');
    expect(readFileSync(file, 'utf8')).toBe('two');
  });

  it('is an error if the file can be created again only by an operator', () => {
    const log = new TestLog();
    plant(log.directory.anchor);
    expect(() => log.reopen()).toThrow(/head\.json is not a regular file: restore it from a backup/);
    expect(() => masterKey(plant(temporaryFolder(), 'master.key'), { mayCreate: true })).toThrow(
      /is (not a regular file|a symbolic link)/,
    );
  });
});

describe('the lock file of a data directory', () => {
  it.each(['a pipe', 'a link'])('replaces %s', (kind) => {
    const folder = temporaryFolder();
    const file = join(folder, 'lock.db');
    plants[kind]?.(`${file}.pid`);
    const lock = lockDirectory(file);
    expect(readFileSync(`${file}.pid`, 'utf8')).toBe(`${process.pid}\n`);
    rmSync(`${file}.pid`);
    rmSync(`${file}.pid.target`, { force: true });
    plants[kind]?.(`${file}.pid`);
    expect(() => lockDirectory(file)).toThrow(/another portolan process uses this data directory/);
    lock.release();
  });
});
