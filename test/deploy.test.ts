import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configNames } from '../src/config.js';
import { settingKeys } from '../src/events/settings.js';

const root = resolve(import.meta.dirname, '..');
const text = (name: string): string => readFileSync(join(root, name), 'utf8');
const unit = text('deploy/portolan.service');
const guides = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
// oxlint-disable-next-line no-console -- a skipped test must be seen
if (!hasSystemd) console.warn('There is no systemd-analyze here: the unit is not verified.');

describe('what a server is installed with', () => {
  it.skipIf(!hasSystemd)('is a unit that systemd understands', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portolan-unit-'));
    try {
      const file = join(folder, 'portolan.service');
      // The program need not be installed for this.
      writeFileSync(file, unit.replaceAll('/opt/portolan/bin/portolan', '/bin/true'));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('leaves the core alone when the panel has crashed, and starts the panel again', () => {
    expect(unit).toMatch(/^KillMode=process$/m);
    expect(unit).toMatch(/^Restart=always$/m);
  });

  it('is an image of files that are here', () => {
    const copied = [...text('Dockerfile').matchAll(/^COPY --from=build (.+) \S+$/gm)].flatMap(([, sources = '']) =>
      sources.split(' ').filter((source) => source.startsWith('/opt/portolan/')),
    );
    expect(copied.length).toBeGreaterThan(3);
    const made = new Set(['dist', 'node_modules']);
    const names = copied.map((source) => source.replace('/opt/portolan/', ''));
    expect(names.filter((name) => !made.has(name) && !existsSync(join(root, name)))).toEqual([]);
  });
});

describe('the guides', () => {
  it.each(guides)('%s names variables and settings that there are, and links files that there are', (guide) => {
    const content = text(guide);
    const known = new Set(configNames.flatMap((name) => [`PORTOLAN_${name}`, `PORTOLAN_${name}_FILE`]));
    const variables = [...content.matchAll(/\bPORTOLAN_[A-Z_]*[A-Z]\b/g)].map(([name]) => name);
    expect(variables.filter((name) => !known.has(name))).toEqual([]);
    const set = [...content.matchAll(/config (?:un)?set (\w+)/g)].map(([, key = '']) => key);
    expect(set.filter((key) => key !== 'KEY' && !settingKeys.some((name) => name === key))).toEqual([]);
    const links = [...content.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !existsSync(resolve(root, guide, '..', link)))).toEqual([]);
  });
});
