import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Entry {
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
  readonly link?: boolean;
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const { packages } = read('package-lock.json') as { packages: Readonly<Record<string, Entry>> };

describe('the packages of the lock file', () => {
  it('run no script at install, except for SQLite, which is compiled', () => {
    const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripted.map(([path]) => path)).toStrictEqual(['node_modules/better-sqlite3']);
    // npm 11 asks this list; npm 10, which comes with Node 20, runs every script there is.
    const { allowScripts } = read('package.json') as { allowScripts: unknown };
    expect(allowScripts).toStrictEqual({ 'better-sqlite3': true });
  });

  it('send no report: what would is replaced by an empty package in this folder', () => {
    expect(packages['node_modules/@scarf/scarf']).toMatchObject({ resolved: 'scripts/no-telemetry', link: true });
    const { name, scripts, main } = read('scripts/no-telemetry/package.json') as Record<string, unknown>;
    expect({ name, scripts, main }).toStrictEqual({ name: '@scarf/scarf', scripts: undefined, main: undefined });
  });

  it('name no registry: they come from the one that is set up', () => {
    const named = Object.entries(packages).filter(([, { resolved, link }]) => resolved !== undefined && !link);
    expect(named.map(([path]) => path)).toStrictEqual([]);
  });
});
