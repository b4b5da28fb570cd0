import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STREAM } from '../src/adapters/nats/batch-stream.js';
import { MEMBER_BUCKET } from '../src/adapters/nats/member-reports.js';
import { configNames, readConfig } from '../src/config.js';
import { defaultSettings, settingKeys } from '../src/events/settings/settings.js';

const root = resolve(import.meta.dirname, '..');
const text = (name: string): string => readFileSync(join(root, name), 'utf8');
const unit = text('deploy/portolan.service');
const guides = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
// oxlint-disable-next-line no-console -- a skipped test must be seen
if (!hasSystemd) console.warn('systemd-analyze is not installed: the unit is not verified.');

describe('the installation files of a server', () => {
  it.skipIf(!hasSystemd)('include a unit that systemd accepts', () => {
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

  /** The values of a directive of the unit, in their order. */
  const said = (name: string): string[] =>
    unit.split('\n').flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));

  it.each([
    // The core is in the group of the service too: only the panel gets the signal, and stops the core gracefully itself.
    ['leaves the core alone when the panel has crashed', 'KillMode', ['process']],
    ['starts the panel again, whatever it ended of', 'Restart', ['always']],
    ['restarts within seconds', 'RestartSec', ['2']],
    ['takes up settings on a reload', 'ExecReload', ['/bin/kill -HUP $MAINPID']],
    ['starts what the guide has put there', 'ExecStart', ['/opt/portolan/bin/portolan serve']],
    ['is no root', 'User', ['portolan']],
    ['has a group of its own', 'Group', ['portolan']],
    // Without the second capability a disconnection restarts the core, and the IP limit disconnects nothing.
    ['may use small ports and end connections', 'AmbientCapabilities', ['CAP_NET_BIND_SERVICE CAP_NET_ADMIN']],
    ['may do nothing else', 'CapabilityBoundingSet', ['CAP_NET_BIND_SERVICE CAP_NET_ADMIN']],
    ['can never become more', 'NoNewPrivileges', ['yes']],
    ['makes no file that others may read', 'UMask', ['0077']],
    ['has a data directory that others may not enter', 'StateDirectoryMode', ['0700']],
    ['may write to its data directory alone', 'ProtectSystem', ['strict']],
    ['has the data directory of the guides', 'StateDirectory', ['portolan']],
    ['takes its variables from a file that may be missing', 'EnvironmentFile', ['-/etc/portolan/environment']],
    // ss asks the kernel over netlink; the control socket and the core's API are unix sockets.
    ['may speak to the kernel', 'RestrictAddressFamilies', ['AF_INET AF_INET6 AF_UNIX AF_NETLINK']],
    ['has files enough for every connection', 'LimitNOFILE', ['1048576']],
    ['is started with the machine', 'WantedBy', ['multi-user.target']],
  ])('include a unit that %s', (_, name, values) => expect(said(name)).toEqual(values));

  it('include a unit that gives the panel the time to shut down gracefully', () => {
    // The core gets some seconds to close, then its last counters are written; the test kit waits for 15.
    expect(Number(said('TimeoutStopSec')[0])).toBeGreaterThanOrEqual(30);
  });

  it('include a unit with the reload and signals of the guides', () => {
    const table = text('docs/install.md');
    for (const verb of ['reload', 'restart', 'stop']) expect(table).toContain(`\`systemctl ${verb} portolan\``);
    // The signal would end any process of the unit but the first one, so also the core.
    const calls = guides.flatMap((guide) =>
      [...text(guide).matchAll(/systemctl kill .*?portolan/g)].map(([call]) => call),
    );
    expect(calls.length).toBeGreaterThan(1);
    expect(new Set(calls)).toEqual(new Set(['systemctl kill --signal=USR2 --kill-whom=main portolan']));
  });

  /** The environment of the command line of the service with this environment file. */
  function environmentOf(file: string): readonly string[] {
    const folder = mkdtempSync(join(tmpdir(), 'portolan-service-'));
    try {
      const environment = join(folder, 'environment');
      writeFileSync(environment, file);
      const script = text('deploy/portolan-as-service')
        .replaceAll('/etc/portolan/environment', environment)
        .replace('"$(id -u)" = 0', '1 = 0')
        .replaceAll('/opt/portolan/bin/portolan', 'env');
      const env = { PATH: process.env['PATH'] };
      const { status, stdout, stderr } = spawnSync('sh', ['-c', script, 'portolan'], { env, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return stdout.split('\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('include a command line for the account of the service, with its variables, none of which is executed', () => {
    // What is not exported is not seen: the end without a line break, a comment, other names, and a command.
    const seen = environmentOf('# PORTOLAN_HOST=no\nHOST=no\nPORTOLAN_PORT=80\nPORTOLAN_BASE_PATH=$(id) x');
    expect(seen.filter((line) => /PORTOLAN|HOST/.test(line))).toEqual(
      expect.arrayContaining(['PORTOLAN_DATA_DIR=/var/lib/portolan', 'PORTOLAN_PORT=80', 'PORTOLAN_BASE_PATH=$(id) x']),
    );
    expect(seen.join('\n')).not.toContain('no\n');
    expect(text('deploy/portolan-as-service')).toContain('setpriv --reuid portolan --regid portolan --init-groups');
  });

  it('include a command line that reads the file as systemd does: quotes, blanks, comments and long lines', () => {
    const lines = [
      ...[
        '# PORTOLAN_HOST=comment',
        '  ; PORTOLAN_HOST=comment',
        'PORTOLAN_OPS_PORT="2055"',
        "PORTOLAN_BASE_PATH='/x/'",
      ],
      ...['  PORTOLAN_SUB_HOST = 127.0.0.1  ', 'PORTOLAN_ADMIN_USERNAME=an\\', 'na', "PORTOLAN_CORE_BIN='/a  b'"],
      ...[
        "PORTOLAN_LOG_LEVEL=it's",
        'PORTOLAN_ADMIN_PASSWORD="a\\"b\\\\c\\d $(id) \'e\'; id"',
        'PORTOLAN_DATA_DIR=/a b \\$c',
      ],
      ...['PORTOLAN_SUB_PORT=1=2', 'PORTOLAN_PORT=', 'PORTOLAN X=1', 'PORTOLAN_X;id=1'],
    ];
    const seen = environmentOf(lines.join('\n')).filter((line) => line.includes('PORTOLAN'));
    expect(seen.sort()).toEqual([
      "PORTOLAN_ADMIN_PASSWORD=a\"b\\c\\d $(id) 'e'; id",
      ...['PORTOLAN_ADMIN_USERNAME=anna', 'PORTOLAN_BASE_PATH=/x/', 'PORTOLAN_CORE_BIN=/a  b'],
      ...['PORTOLAN_DATA_DIR=/a b $c', "PORTOLAN_LOG_LEVEL=it's", 'PORTOLAN_OPS_PORT=2055', 'PORTOLAN_PORT='],
      ...['PORTOLAN_SUB_HOST=127.0.0.1', 'PORTOLAN_SUB_PORT=1=2'],
    ]);
  });

  it('include an image with all that the panel needs: the core, ss, root certificates, an init process and a data volume', () => {
    const lines = text('Dockerfile').replaceAll('\\\n', '').split('\n');
    const stage = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
    const installed = /apt-get install -y --no-install-recommends ([\w -]+?) +&&/
      .exec(stage.join('\n'))?.[1]
      ?.split(' ');
    // ss and nft disconnect single clients; certificates are verified; orphaned processes are reaped.
    expect(installed?.sort()).toEqual(['ca-certificates', 'iproute2', 'nftables', 'tini']);
    // The build puts the core where a search path finds it, and the image takes it from there.
    expect(text('Dockerfile')).toMatch(
      /install -D -m 755 \/cache\/portolan\/core\/\*\/xray \/image\/usr\/local\/bin\/xray$/m,
    );
    expect(stage).toContain('COPY --from=build /image/ /');
    // A recreated container keeps the data of the volume, and `node` may write there.
    expect(stage).toContain('VOLUME /data');
    expect(stage.join('\n')).toContain('install -d -o node -g node -m 700 /data');
    expect(stage).toContain('ENV NODE_ENV=production PORTOLAN_DATA_DIR=/data');
    expect(text('docs/install.md')).toContain('-v portolan:/data portolan');
    for (const folder of ['bin', 'dist', 'node_modules'])
      expect(stage).toContain(`COPY --from=build /opt/portolan/${folder} /opt/portolan/${folder}`);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'include an image whose command drops root and keeps only the granted capabilities',
    () => {
      const script = text('deploy/portolan-in-container')
        .replaceAll(
          '/opt/portolan/bin/portolan',
          'sh -c \'id -un; grep -E CapEff /proc/self/status; echo "$@"\' portolan',
        )
        .replace('--reuid node --regid node', '--reuid nobody --regid nogroup');
      const run = (...rights: readonly string[]): string[] => {
        const set = ['-all', '+setuid', '+setgid', '+setpcap', ...rights].join(',');
        const args = [`--bounding-set=${set}`, 'sh', '-c', script, 'portolan', 'config', 'a  b'];
        const { status, stdout, stderr } = spawnSync('setpriv', args, { encoding: 'utf8' });
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
        return stdout.trim().split(/\n|:\t0*/);
      };
      expect(run('+net_admin', '+net_bind_service', '+chown')).toEqual(['nobody', 'CapEff', '1400', 'config a  b']);
      expect(run('+net_bind_service')).toEqual(['nobody', 'CapEff', '400', 'config a  b']);
      expect(run()).toEqual(['nobody', 'CapEff', '', 'config a  b']);
      expect(text('Dockerfile')).toContain('/opt/portolan/deploy/portolan-in-container /usr/local/bin/portolan');
    },
  );

  it('include an image that runs without root, exposes its ports and has a health check', () => {
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
    // It parses, and its exit code reports that no server replies.
    const unheard = (args[1] ?? '').replace(/:\d+\//, ':1/');
    expect(spawnSync(process.execPath, ['-e', unheard]).status).toBe(1);
  });

  it('exclude from the image what it does not need', () => {
    const ignored = text('.dockerignore').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.git', 'data', 'node_modules', 'dist']));
  });

  it('include an image of existing files', () => {
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
  it.each(guides)('include in %s only existing variables, settings and files', (guide) => {
    const content = text(guide);
    const known = new Set(configNames.flatMap((name) => [`PORTOLAN_${name}`, `PORTOLAN_${name}_FILE`]));
    // The language of the command line is not a setting of the panel.
    known.add('PORTOLAN_LANG');
    for (const name of [STREAM, MEMBER_BUCKET]) known.add(name);
    const variables = [...content.matchAll(/\bPORTOLAN_[A-Z_]*[A-Z]\b/g)].map(([name]) => name);
    expect(variables.filter((name) => !known.has(name))).toEqual([]);
    const set = [...content.matchAll(/config (?:un)?set (\w+)/g)].map(([, key = '']) => key);
    expect(set.filter((key) => key !== 'KEY' && !settingKeys.some((name) => name === key))).toEqual([]);
    const links = [...content.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !existsSync(resolve(root, guide, '..', link)))).toEqual([]);
  });
});
