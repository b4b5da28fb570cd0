import { readFileSync } from 'node:fs';
import { satisfies } from 'semver';
import { describe, expect, it } from 'vitest';

interface Entry {
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
  readonly link?: boolean;
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const { packages } = read('package-lock.json') as { packages: Readonly<Record<string, Entry>> };

describe('the packages of the lock file', () => {
  it('run no install script, except for SQLite, which is compiled', () => {
    const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripted.map(([path]) => path)).toStrictEqual(['node_modules/better-sqlite3']);
    // npm 11 uses this list; npm 10, which comes with Node 20, runs all scripts.
    const { allowScripts } = read('package.json') as { allowScripts: unknown };
    expect(allowScripts).toStrictEqual({ 'better-sqlite3': true });
  });

  it('run on the oldest supported Node', () => {
    const { engines } = read('package.json') as { engines: { node: string } };
    const oldest = `${engines.node.replace('>=', '')}.0`;
    const newer = Object.entries(packages).filter(([, entry]) => !satisfies(oldest, entry.engines?.node ?? '*'));
    expect(newer.map(([path, entry]) => `${path}: ${entry.engines?.node}`)).toStrictEqual([]);
  });

  it('include no telemetry: such a package is replaced by an empty one in this folder', () => {
    expect(packages['node_modules/@scarf/scarf']).toMatchObject({ resolved: 'scripts/no-telemetry', link: true });
    const { name, scripts, main } = read('scripts/no-telemetry/package.json') as Record<string, unknown>;
    expect({ name, scripts, main }).toStrictEqual({ name: '@scarf/scarf', scripts: undefined, main: undefined });
  });

  it('name no registry, so the configured one is used', () => {
    const named = Object.entries(packages).filter(([, { resolved, link }]) => resolved !== undefined && !link);
    expect(named.map(([path]) => path)).toStrictEqual([]);
  });
});
