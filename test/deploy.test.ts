import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configNames, readConfig } from '../src/config.js';
import { defaultSettings, settingKeys } from '../src/events/settings.js';

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

  it('is a command line for the account of the service, with its variables, of which nothing is run', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portolan-service-'));
    try {
      const environment = join(folder, 'environment');
      // What is not exported is not seen: the end without a line break, a comment, other names, and a command.
      writeFileSync(environment, '# PORTOLAN_HOST=no\nHOST=no\nPORTOLAN_PORT=80\nPORTOLAN_BASE_PATH=$(id) x');
      const script = text('deploy/portolan-as-service')
        .replaceAll('/etc/portolan/environment', environment)
        .replace('"$(id -u)" = 0', '1 = 0')
        .replaceAll('/opt/portolan/bin/portolan', 'env');
      const env = { PATH: process.env['PATH'] };
      const { status, stdout, stderr } = spawnSync('sh', ['-c', script, 'portolan'], { env, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout.split('\n').filter((line) => /PORTOLAN|HOST/.test(line))).toEqual(
        expect.arrayContaining([
          'PORTOLAN_DATA_DIR=/var/lib/portolan',
          'PORTOLAN_PORT=80',
          'PORTOLAN_BASE_PATH=$(id) x',
        ]),
      );
      expect(stdout).not.toContain('no\n');
      expect(text('deploy/portolan-as-service')).toContain('setpriv --reuid portolan --regid portolan --init-groups');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is an image that runs without root, says its ports, and is asked whether it is ready', () => {
    const lines = text('Dockerfile').replaceAll('\\\n', '').split('\n');
    const last = lines.findLastIndex((line) => line.startsWith('FROM '));
    const stage = lines.slice(last);
    const all = (word: string) =>
      stage.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
    expect(lines.filter((line) => line.startsWith('FROM ')).length).toBeGreaterThan(1);
    expect(all('USER')).toEqual(['node']);
    expect(stage.indexOf('USER node')).toBeGreaterThan(stage.findLastIndex((line) => line.startsWith('RUN ')));
    const { webPort, subPort } = defaultSettings;
    expect(all('EXPOSE')).toEqual([`${webPort} ${subPort}`]);
    const [check = ''] = all('HEALTHCHECK');
    const [program, ...args] = JSON.parse(check.slice(check.indexOf('['))) as string[];
    expect([program, args[0], all('ENTRYPOINT'), all('CMD')]).toEqual([
      ...['node', '-e', ['["tini", "--", "portolan"]']],
      ['["serve"]'],
    ]);
    expect(args[1]).toContain(`http://127.0.0.1:${readConfig({}).OPS_PORT}/readyz`);
    // It parses, and where nobody answers it says so by its code.
    const unheard = (args[1] ?? '').replace(/:\d+\//, ':1/');
    expect(spawnSync(process.execPath, ['-e', unheard]).status).toBe(1);
  });

  it('leaves out of the image what is no part of it', () => {
    const ignored = text('.dockerignore').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.git', 'data', 'node_modules', 'dist']));
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
