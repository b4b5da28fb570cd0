import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prepareDataDirectory, removeUnfinished } from '../../../src/adapters/data-directory/data-directory.js';

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'portolan-directory-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
};

describe('a data directory', () => {
  it('is private, whatever modes it had before', () => {
    const root = join(folder(), 'data');
    mkdirSync(root, { mode: 0o755 });
    writeFileSync(join(root, 'events.db'), '', { mode: 0o644 });
    const { certs, run } = prepareDataDirectory(root);
    for (const path of [root, certs, run]) expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, 'events.db')).mode & 0o777).toBe(0o600);
  });

  it('loses unfinished files of an earlier process, and nothing else', () => {
    const directory = prepareDataDirectory(folder());
    mkdirSync(directory.snapshots);
    const unfinished = [
      join(directory.root, 'head.json.new'),
      join(directory.certs, 'panel.pem.new'),
      join(directory.run, 'core.json.next'),
      join(directory.run, 'candidate-0b7e9c4e-0000-4000-8000-000000000000.json'),
      join(directory.run, 'candidate-0b7e9c4e-0000-4000-8000-000000000000.json.pb'),
      join(directory.snapshots, 'clients.snapshot.next'),
    ];
    const kept = [
      directory.database,
      `${directory.database}-wal`,
      directory.anchor,
      join(directory.certs, 'panel.pem'),
      join(directory.run, 'core.json'),
      join(directory.run, 'candidates.json'),
      join(directory.geo, 'list.new'),
    ];
    for (const file of [...unfinished, ...kept]) writeFileSync(file, 'x');
    mkdirSync(join(directory.root, 'folder.new'));
    removeUnfinished(directory);
    const left = readdirSync(directory.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    expect(left.sort()).toEqual([...kept].sort());
    expect(statSync(join(directory.root, 'folder.new')).isDirectory()).toBe(true);
  });
});
