import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prepareDataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import { scryptPasswords } from '../../src/adapters/passwords/passwords.js';
import { operate } from '../../src/control/control.js';
import { NO_QUOTAS } from '../../src/events/access/access-of.js';
import { OperatorError } from '../../src/lib/errors/operator-error.js';
import { message, verbatim } from '../../src/messages/message.js';
import { commandLine as portolan } from '../kit/command-line.js';
import { temporaryFolder } from '../kit/log.js';

const passwordHash = await scryptPasswords().hash('a-good-password');
const access = { role: 'owner', inbounds: [], quotas: NO_QUOTAS };

/** A data directory whose log has three events: three accounts. */
async function panelData(): Promise<string> {
  const { root } = prepareDataDirectory(temporaryFolder());
  for (const username of ['first', 'second', 'third'])
    await operate(root, 'admin.create', { username, passwordHash, access });
  return root;
}

/** Files and folders that are in the wrong place. */
function places() {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  writeFileSync(file, 'not a data directory');
  return { folder, file, none: join(folder, 'none') };
}

describe('a file that an option names', () => {
  it('is reported with its path when it is missing, a folder or too large', async () => {
    const data = await panelData();
    const { folder, file, none } = places();
    const large = join(folder, 'large');
    writeFileSync(large, 'x'.repeat(5000));
    const cases = [
      [none, `${none} does not exist: check the path`],
      [folder, `${folder} is a folder: give the path of a file`],
      [join(file, 'below'), `A part of the path ${join(file, 'below')} is a file and not a folder: check the path`],
      [large, `${large} has more than 4 kB: give a file that contains only the password or passphrase`],
    ];
    for (const [path = '', text] of cases) {
      const created = await portolan([
        'admin',
        'create',
        'joe',
        '--role',
        'owner',
        '--password-file',
        path,
        '--data-dir',
        data,
      ]);
      expect(created).toStrictEqual({ code: 1, out: '', err: `portolan: ${text}\n` });
      const restored = await portolan(['restore', file, '--yes', '--passphrase-file', path, '--data-dir', data]);
      expect(restored).toStrictEqual({ code: 1, out: '', err: `portolan: ${text}\n` });
      const shown = await portolan(['config', 'show'], { PORTOLAN_ADMIN_PASSWORD_FILE: path });
      expect(shown).toStrictEqual({ code: 2, out: '', err: `portolan: PORTOLAN_ADMIN_PASSWORD_FILE: ${text}\n` });
    }
  });

  it('is reported in the language of the operator, and in English with --json', async () => {
    const { none } = places();
    const args = ['admin', 'create', 'joe', '--role', 'owner', '--password-file', none, '--data-dir', none];
    const russian = await portolan(args, { LANG: 'ru_RU.UTF-8' });
    expect(russian.err).toBe(`portolan: ${none} не существует: проверьте путь\n`);
    const json = await portolan(['--json', ...args], { LANG: 'ru_RU.UTF-8' });
    expect(JSON.parse(json.err)).toStrictEqual({
      error: `${none} does not exist: check the path`,
      code: 'file.missing',
    });
  });

  it('is not needed when its variable is empty', async () => {
    expect(await portolan(['config', 'show'], { PORTOLAN_ADMIN_PASSWORD_FILE: '' })).toMatchObject({
      code: 0,
      err: '',
    });
  });

  it('is a backup or a database of another panel', async () => {
    const data = await panelData();
    const { folder, none } = places();
    for (const args of [
      ['restore', '--yes'],
      ['import', '3x-ui', '--dry-run'],
      ['import', '3x-ui', '--yes'],
    ]) {
      for (const path of [none, folder]) {
        const { code, out, err } = await portolan([...args, path, '--data-dir', data]);
        expect([code, out]).toEqual([1, '']);
        expect(err).toContain(path);
        expect(err).not.toMatch(/E[A-Z]{4,}|SQLITE/);
      }
    }
  });
});

describe('a file that is not a backup', () => {
  it('is named before what is wrong with it', async () => {
    const { folder, file } = places();
    const done = await portolan(['import', '3x-ui', '--dry-run', file, '--data-dir', join(folder, 'panel')]);
    expect(done).toStrictEqual({ code: 1, out: '', err: `portolan: ${file}: It is not an SQLite database\n` });
  });
});

describe('a backup', () => {
  it('is written only where a new file can be created', async () => {
    const data = await panelData();
    const { folder, file, none } = places();
    const cases = [
      [1, join(none, 'x.db'), `The folder ${none} does not exist: create it, or choose another one`],
      [1, join(file, 'x.db'), `A part of the path ${file} is a file and not a folder: check the path`],
      [1, folder, `${folder} is a folder: give the path of a file`],
      [1, file, `${file} already exists: choose another name, or move it away`],
      [2, '', 'The option --out needs a value'],
    ] as const;
    for (const [code, out, text] of cases)
      expect(await portolan(['backup', '--out', out, '--data-dir', data])).toStrictEqual({
        ...{ code, out: '' },
        err: `portolan: ${text}\n`,
      });
  });
});

const READS = [
  ['events', 'tail'],
  ['events', 'show', '1'],
  ['events', 'why', 'anna'],
  ['events', 'statement', 'anna'],
  ['events', 'export'],
  ['events', 'verify'],
  ['events', 'replay'],
  ['admin', 'list'],
  ['node', 'list'],
  ['core', 'test'],
  ['backup'],
];
const CHANGES = [
  ['config', 'set', 'webPort', '2000'],
  ['admin', 'create', 'joe', '--role', 'owner'],
  ['admin', 'disable-2fa'],
  ['doctor', '--accept-loss'],
  ['doctor', '--keep-readable'],
];

describe('a data directory', () => {
  it.each([...READS, ...CHANGES])('without a log is not created: %s %s', async (...args) => {
    const { folder, file, none } = places();
    mkdirSync(join(folder, 'empty'));
    const hint = 'name the data directory with --data-dir or PORTOLAN_DATA_DIR, or start the panel once to create it';
    for (const path of [none, join(folder, 'empty')]) {
      const done = await portolan([...args, '--data-dir', path]);
      expect(done).toStrictEqual({
        code: 1,
        out: '',
        err: `portolan: ${path} contains no log of a panel: ${hint}\n`,
      });
    }
    expect(existsSync(none)).toBe(false);
    const { code, out, err } = await portolan([...args, '--data-dir', file]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^portolan: A part of the path .* is a file and not a folder: check the path\n$/);
  });

  it('gets its run folder back when that is missing', async () => {
    const data = await panelData();
    rmSync(join(data, 'run'), { recursive: true });
    for (const args of [...READS.slice(0, 1), ['admin', 'create', 'joe', '--role', 'owner']])
      expect(await portolan([...args, '--data-dir', data])).toMatchObject({ code: 0, err: '' });
  });

  it('on a file system without folders of its own is reported, and does not hang', async () => {
    const { code, err } = await portolan(['core', 'install', '1.2.3', '--data-dir', '/proc/portolan/data']);
    expect([code, err]).toEqual([1, 'portolan: /proc/portolan cannot be used: the system reports ENOENT\n']);
  });

  it('that is a file is reported by the commands that create one', async () => {
    const { file } = places();
    for (const args of [
      ['restore', file],
      ['core', 'install', '1.2.3'],
    ]) {
      const { code, err } = await portolan([...args, '--data-dir', file]);
      expect(code).toBe(1);
      expect(err).toMatch(/^portolan: A part of the path .* is a file and not a folder: check the path\n$/);
    }
    const checked = await portolan(['doctor', '--data-dir', file]);
    expect(checked.code).toBe(1);
    expect(checked.out).toMatch(/^BAD {2}log: A part of the path .* is a file and not a folder/);
  });
});

describe('a value that is not valid', () => {
  it('is a usage error with the range', async () => {
    const data = await panelData();
    const range = (name: string, value: string, [min, max]: readonly [number, number]) =>
      `${name}: "${value}" is not a whole number from ${min} to ${max}`;
    const place = (name: string, value: string) =>
      `${name}: "${value}" is neither a position from 0 to 3 nor an ISO time such as 2026-01-31T12:00:00Z`;
    const cases: readonly (readonly [readonly string[], string])[] = [
      ...['0', '-1', '1.5', 'abc', '', '1e3', '99999999999'].map((value) => {
        const args = ['events', 'tail', '--count', value];
        return [args, range('--count', value, [1, 1_000_000_000])] as const;
      }),
      ...['0', '4', '1x'].map((value) => [['events', 'show', value], range('position', value, [1, 3])] as const),
      ...['-1', '4', 'abc', '', '0x1'].map((value) => {
        return [['events', 'export', '--from', value], range('--from', value, [0, 3])] as const;
      }),
      ...['-1', '4', '1.5', '', 'yesterday', '2026', '2026-02-30', '2026-13-01', '2026-01-01T25:00'].flatMap((value) =>
        ['--at', '--to'].map((name) => [['events', 'replay', name, value], place(name, value)] as const),
      ),
      [
        ['events', 'replay', '--at', '1', '--to', '2'],
        'The options --at and --to exclude each other: give only one of them',
      ],
      [
        ['admin', 'create', 'joe', '--role', 'owner', '--password', 'long-enough-1', '--password-file', data],
        'The options --password and --password-file exclude each other: give only one of them',
      ],
      [
        ['admin', 'create', 'joe'],
        'The admin needs a role: add --role with one of owner, operator, support, auditor, reseller, metrics, monitoring, or a role of your own',
      ],
      [
        ['admin', 'create', 'joe', '--role', 'owner', '--password-file', ''],
        'The option --password-file needs a value',
      ],
      [['restore', data, '--passphrase-file', ''], 'The option --passphrase-file needs a value'],
      [['core', 'install', 'newest'], 'newest is not a version: give one such as 26.7.28, or latest'],
    ];
    for (const [args, text] of cases)
      expect(await portolan([...args, '--data-dir', data])).toStrictEqual({
        code: 2,
        out: '',
        err: `portolan: ${text}\n`,
      });
  });

  it('may be a position of the log or a time', async () => {
    const data = await panelData();
    for (const [value, position] of [
      ['0', 0],
      ['2', 2],
      ['3', 3],
      ['2000-01-01', 0],
      ['2999-01-01T00:00:00Z', 3],
    ] as const) {
      const { code, out } = await portolan(['--json', 'events', 'replay', '--at', value, '--data-dir', data]);
      expect([code, JSON.parse(out)]).toMatchObject([0, { position }]);
    }
    expect(await portolan(['events', 'export', '--from', '3', '--data-dir', data])).toMatchObject({ code: 0, out: '' });
    expect((await portolan(['events', 'tail', '-n', '2', '--data-dir', data])).out.split('\n')).toHaveLength(3);
  });

  it.each([
    [['--port', 'abc'], {}, '--port=abc (from a flag): must be a whole number'],
    [['--port', ''], {}, '--port= (from a flag): must be a whole number'],
    [['--port', '0x50'], {}, '--port=0x50 (from a flag): must be a whole number'],
    [['--port', '65536'], {}, '--port=65536 (from a flag): must be 0 to 65535'],
    [['--ops-port=-1'], {}, '--ops-port=-1 (from a flag): must be 0 to 65535'],
    [[], { PORTOLAN_SUB_PORT: '1.5' }, 'PORTOLAN_SUB_PORT=1.5 (from the environment): must be a whole number'],
    [[], { PORTOLAN_HOST: 'x' }, 'PORTOLAN_HOST=x (from the environment): must be an IP address'],
  ] as const)('of the configuration is a usage error: %j %j', async (args, env, text) => {
    expect(await portolan(['config', 'show', ...args], env)).toStrictEqual({
      ...{ code: 2, out: '' },
      err: `portolan: ${text}\n`,
    });
  });
});

describe('an error that no command expects', () => {
  const fails = () => Promise.reject(new TypeError('x is not a "function"'));

  it('is a sentence that quotes it, without a stack', async () => {
    const text = 'Unexpected error: "x is not a \\"function\\"". PORTOLAN_LOG_LEVEL=debug shows where it occurred';
    expect(await portolan(['serve'], {}, fails)).toStrictEqual({ code: 1, out: '', err: `portolan: ${text}\n` });
  });

  it('has its stack when the operator asks for it', async () => {
    for (const done of [
      await portolan(['serve', '--log-level', 'debug'], {}, fails),
      await portolan(['serve'], { PORTOLAN_LOG_LEVEL: 'debug' }, fails),
    ])
      expect(done.err).toMatch(/^portolan: Unexpected error: .*\nTypeError: x is not a "function"\n {4}at /);
    const json = await portolan(['--json', 'serve', '--log-level', 'debug'], {}, fails);
    expect(JSON.parse(json.err)).toStrictEqual({
      error: expect.stringMatching(/^Unexpected error: /) as string,
      code: 'common.unexpected',
      stack: expect.stringMatching(/^TypeError: x is not a "function"\n {4}at /) as string,
    });
  });
});

describe('a warning', () => {
  it('is shown in the language of the operator', async () => {
    const data = await panelData();
    const { none } = places();
    rmSync(join(data, 'run', 'snapshots'), { recursive: true, force: true });
    symlinkSync(none, join(data, 'run', 'snapshots'));
    const before = process.listenerCount('warning');
    const { code, err } = await portolan(['admin', 'list', '--data-dir', data], { LANG: 'ru' });
    const folder = join(data, 'run', 'snapshots');
    expect([code, err]).toEqual([
      0,
      `portolan: ${folder} — не папка или ссылка на папку, поэтому снимки не читаются и не записываются: удалите её\n`,
    ]);
    expect(process.listenerCount('warning')).toBe(before);
    const json = await portolan(['--json', 'admin', 'list', '--data-dir', data], { LANG: 'ru' });
    expect(JSON.parse(json.err)).toStrictEqual({
      warning: expect.stringContaining(folder) as string,
      code: 'storage.snapshotsOff',
    });
  });
});

describe('the path of the core', () => {
  it('is reported when the configured file cannot be run', async () => {
    const { none } = places();
    expect(await portolan(['core', 'path'], { PORTOLAN_CORE_BIN: none })).toStrictEqual({
      ...{ code: 1, out: '' },
      err: `portolan: ${none}, which PORTOLAN_CORE_BIN names, is not an executable file: correct the path, or remove the variable\n`,
    });
  });
});

describe('an error for a program', () => {
  it.each([
    [['admin', 'disable-2fa', '--data-dir'], 1, 'cli.noLog'],
    [['nonsense'], 2, 'cli.unknownCommand'],
    [['events', 'why'], 2, 'cli.missingArgument'],
    [['core', 'install', 'newest'], 2, 'cli.versionInvalid'],
    [['config', 'show', '--port', 'abc'], 2, 'start.configInvalid'],
  ] as const)('is one JSON object in English with its code: %j', async (args, exit, name) => {
    const rest = args.at(-1) === '--data-dir' ? [places().none] : [];
    const { code, out, err } = await portolan([...args, ...rest, '--json'], { LANG: 'ru' });
    expect([code, out]).toStrictEqual([exit, '']);
    expect(JSON.parse(err)).toStrictEqual({ error: expect.stringMatching(/^[ -~“”]+$/) as string, code: name });
  });

  it('has the code of the cause, not of the text that names its file', async () => {
    const why = message('backup.otherDatabase', { tables: ['x'] });
    const fails = () => Promise.reject(new OperatorError(message('cli.fileProblem', { file: 'a', why })));
    const { err } = await portolan(['--json', 'serve'], {}, fails);
    expect(JSON.parse(err)).toMatchObject({ code: 'backup.otherDatabase' });
    const verbatimCause = message('cli.fileProblem', { file: 'a', why: verbatim('the core says no') });
    const own = await portolan(['--json', 'serve'], {}, () => Promise.reject(new OperatorError(verbatimCause)));
    expect(JSON.parse(own.err)).toStrictEqual({ error: 'a: the core says no', code: 'cli.fileProblem' });
  });

  it('has no code when it is that of another program', async () => {
    const fails = () => Promise.reject(new OperatorError(verbatim('the core says no')));
    const { err } = await portolan(['--json', 'serve'], {}, fails);
    expect(JSON.parse(err)).toStrictEqual({ error: 'the core says no', code: null });
  });

  it('follows the findings of a check, which have codes too', async () => {
    const { none } = places();
    const { code, out, err } = await portolan(['--json', 'doctor', '--data-dir', none], { LANG: 'ru' });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toStrictEqual({
      ...{ what: 'log', whatCode: 'cli.checkLog', ok: false },
      detail: expect.stringMatching(/ contains no log of a panel: /) as string,
      detailCode: 'cli.noLog',
    });
    expect(JSON.parse(err)).toStrictEqual({ error: '1 of 1 checks failed', code: 'cli.checksFailed' });
  });
});

describe('what people read', () => {
  it('has no English words in another language', async () => {
    const data = await panelData();
    const shown = await portolan(['config', 'show', '--data-dir', data], {
      LANG: 'ru',
      PORTOLAN_ADMIN_PASSWORD: 'x',
      PORTOLAN_SUB_PORT: '8',
    });
    expect(shown.out).toContain(`PORTOLAN_DATA_DIR=${data}  (из параметра)\n`);
    expect(shown.out).toContain('PORTOLAN_SUB_PORT=8  (из окружения)\n');
    expect(shown.out).toContain('PORTOLAN_ADMIN_PASSWORD=(задано)  (из окружения)\n');
    expect(shown.out).toContain('PORTOLAN_PORT=2053  (по умолчанию)\n');
    const tail = await portolan(['events', 'tail', '--data-dir', data], { LANG: 'ru' });
    expect(tail.out).toMatch(/ {2}кем: /);
    const denied = await portolan(['admin', 'reset-password', '', '--data-dir', data], { LANG: 'ru' });
    expect(denied).toMatchObject({ code: 1, err: 'portolan: username: отсутствует\n' });
  });

  it('is English with --json', async () => {
    const data = await panelData();
    await portolan(['config', 'set', 'webPort', '2099', '--data-dir', data]);
    const { out } = await portolan(['--json', 'config', 'show', '--data-dir', data], {
      ...{ LANG: 'ru', PORTOLAN_ADMIN_PASSWORD: 'x' },
    });
    const rows = out
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(rows).toContainEqual({ name: 'PORTOLAN_PORT', value: '2099', source: 'setting webPort' });
    expect(rows).toContainEqual({ name: 'PORTOLAN_ADMIN_PASSWORD', value: '(set)', source: 'environment' });
  });
});
