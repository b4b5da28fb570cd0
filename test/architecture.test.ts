import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTypeScript from 'dependency-cruiser/config-utl/extract-ts-config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

async function borders(baseDir: string, folders: string[]): Promise<ICruiseResult['summary']> {
  const options = await extractOptions(join(root, '.dependency-cruiser.cjs'));
  const tsConfig = extractTypeScript(join(root, 'tsconfig.json'));
  const { output } = await cruise(folders, { ...options, baseDir }, undefined, { tsConfig });
  return (output as ICruiseResult).summary;
}

/** A project of its own in a temporary folder: the given files, and this project's packages and settings. */
function plant(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-borders-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const name of ['package.json', 'tsconfig.json', '.oxlintrc.json']) cpSync(join(root, name), join(folder, name));
  for (const [name, source] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), source);
  }
  return folder;
}

/** Files that every planted import may aim at. */
const targets = [
  'src/app/a.ts',
  'src/app/serve.ts',
  'src/cli/a.ts',
  'src/config.ts',
  'src/version.ts',
  'src/control/a.ts',
  'src/launcher/a.ts',
  'src/followers/a.ts',
  'src/cluster/a.ts',
  'src/verifier/a.ts',
  'src/extra.ts',
  'src/installation/a.ts',
  'src/jobs/a.ts',
  'src/messages/a.ts',
  'src/store/a.ts',
  'src/store/generations.ts',
  'src/worker/a.ts',
  'src/adapters/data-directory/a.ts',
  'src/http/panel/codec/a.ts',
  'src/lib/a.ts',
  'src/lib/parse-json.ts',
  'src/events/a.ts',
  'src/commands/a.ts',
  'src/commands/ports/a.ts',
  'src/commands/reactors/a.ts',
  'src/projections/a.ts',
  'src/http/a.ts',
  'src/chat-bot/a.ts',
  'src/http/panel/contract/a.ts',
  'src/adapters/a.ts',
  'test/a.ts',
  'bench/a.ts',
  'web/a.ts',
];

/** Each row: from where, what, and the rule that has to say no. */
const forbidden: [from: string, what: string, rule: string][] = [
  ['src/lib/x.ts', '../events/a.js', 'lib: only lib, messages'],
  ['src/lib/x.ts', 'zod', 'zod: only in events, http, commands, adapters, cluster, control, config.ts'],
  ['src/lib/x.ts', 'node:fs', 'inside: no input or output'],
  ['src/events/x.ts', '../commands/a.js', 'events: only events, messages, lib'],
  ['src/events/x.ts', '../app/a.js', 'events: only events, messages, lib'],
  ['src/http/x.ts', 'immer', 'immer: only in events, commands, projections'],
  ['src/commands/x.ts', '../projections/a.js', 'commands: only commands, events, messages, lib'],
  ['src/commands/x.ts', '../http/a.js', 'commands: only commands, events, messages, lib'],
  ['src/commands/x.ts', '../adapters/a.js', 'commands: only commands, events, messages, lib'],
  ['src/commands/reactors/x.ts', '../../projections/a.js', 'commands: only commands, events, messages, lib'],
  ['src/commands/reactors/x.ts', 'node:child_process', 'inside: no input or output'],
  ['src/commands/x.ts', 'pino', 'pino: only in adapters'],
  ['src/projections/x.ts', '../commands/a.js', 'projections: only projections, events, messages, lib'],
  ['src/projections/x.ts', '../commands/ports/a.js', 'projections: only projections, events, messages, lib'],
  ['src/projections/x.ts', 'zod', 'zod: only in events, http, commands, adapters, cluster, control, config.ts'],
  ['src/http/x.ts', '../adapters/a.js', 'http: only http, commands, projections, events, messages, lib, installation'],
  ['src/http/x.ts', '../chat-bot/a.js', 'http: only http, commands, projections, events, messages, lib, installation'],
  ['src/chat-bot/x.ts', '../http/a.js', 'chat-bot: only chat-bot, commands, projections, events, messages, lib'],
  ['src/chat-bot/x.ts', '../adapters/a.js', 'chat-bot: only chat-bot, commands, projections, events, messages, lib'],
  ['src/chat-bot/x.ts', 'grammy', 'grammy: only in adapters/chat-bot'],
  ['src/http/x.ts', 'better-sqlite3', 'better-sqlite3: only in adapters/sqlite, adapters/backup, adapters/xui'],
  [
    'src/http/panel/contract/x.ts',
    '../../a.js',
    'http/panel/contract: only http/panel/contract, lib/parse-json, lib/permissions, events/group-names, messages/message, messages/issue',
  ],
  [
    'src/http/panel/contract/x.ts',
    '../../../lib/a.js',
    'http/panel/contract: only http/panel/contract, lib/parse-json, lib/permissions, events/group-names, messages/message, messages/issue',
  ],
  [
    'src/http/panel/contract/x.ts',
    '../../../events/a.js',
    'http/panel/contract: only http/panel/contract, lib/parse-json, lib/permissions, events/group-names, messages/message, messages/issue',
  ],
  ['src/http/panel/contract/x.ts', 'express', 'contract: only zod'],
  ['src/http/panel/contract/x.ts', 'node:crypto', 'contract: only zod'],
  [
    'src/adapters/x.ts',
    '../commands/a.js',
    'adapters: only adapters, commands/ports, events, messages, lib, installation',
  ],
  [
    'src/adapters/x.ts',
    '../projections/a.js',
    'adapters: only adapters, commands/ports, events, messages, lib, installation',
  ],
  ['src/adapters/x.ts', '../http/a.js', 'adapters: only adapters, commands/ports, events, messages, lib, installation'],
  ['src/adapters/x.ts', 'better-sqlite3', 'better-sqlite3: only in adapters/sqlite, adapters/backup, adapters/xui'],
  ['src/adapters/x.ts', '@grpc/grpc-js', '@grpc/[^/]+: only in adapters/core'],
  ['src/adapters/x.ts', 'undici', 'undici: only in adapters/web'],
  ['src/adapters/x.ts', '@nats-io/kv', '@nats-io/[^/]+: only in adapters/nats'],
  ['src/app/x.ts', '@nats-io/transport-node', '@nats-io/[^/]+: only in adapters/nats'],
  ['src/adapters/x.ts', 'ldapts', 'ldapts: only in adapters/directory'],
  ['src/adapters/x.ts', 'express', 'express: only in http'],
  ['src/adapters/x.ts', 'ws', 'ws: only in http'],
  ['src/adapters/x.ts', 'selfsigned', 'src: no development packages'],
  ['src/lib/x.ts', '../../test/a.js', 'src: nothing from outside'],
  ['src/http/x.ts', '../../bench/a.js', 'src: nothing from outside'],
  ['src/http/x.ts', '../../web/a.js', 'src: nothing from outside'],
  ['src/http/x.ts', './not-there.js', 'no-missing-imports'],
  ['src/installation/x.ts', '../lib/a.js', 'installation: only installation'],
  ['src/lib/x.ts', '../installation/a.js', 'lib: only lib, messages'],
  ['src/messages/x.ts', '../lib/a.js', 'messages: only messages, installation'],
  ['src/messages/x.ts', 'node:fs', 'inside: no input or output'],
  ['src/events/x.ts', 'i18next', 'i18next: only in messages'],
  ['src/store/x.ts', '../worker/a.js', 'store: only store, adapters, commands, projections, events, messages, lib'],
  ['src/store/x.ts', '../http/a.js', 'store: only store, adapters, commands, projections, events, messages, lib'],
  [
    'src/control/x.ts',
    '../cli/a.js',
    'control: only control, store, adapters, commands, projections, events, messages, lib',
  ],
  [
    'src/control/x.ts',
    '../app/a.js',
    'control: only control, store, adapters, commands, projections, events, messages, lib',
  ],
  [
    'src/worker/x.ts',
    '../app/a.js',
    'worker: only worker, store, adapters, http/panel/codec, commands, projections, events, messages, lib, installation',
  ],
  [
    'src/worker/x.ts',
    '../http/a.js',
    'worker: only worker, store, adapters, http/panel/codec, commands, projections, events, messages, lib, installation',
  ],
  [
    'src/followers/x.ts',
    '../commands/a.js',
    'followers: only followers, control/signals, store, adapters, http, projections, events, messages, lib, installation',
  ],
  [
    'src/cluster/x.ts',
    '../http/a.js',
    'cluster: only cluster, store, adapters, commands, projections, events, messages, lib',
  ],
  [
    'src/launcher/x.ts',
    '../store/a.js',
    'launcher: only launcher, store/generations, adapters/data-directory, messages, lib, version',
  ],
  [
    'src/launcher/x.ts',
    '../app/a.js',
    'launcher: only launcher, store/generations, adapters/data-directory, messages, lib, version',
  ],
  [
    'src/app/x.ts',
    '../cli/a.js',
    'app: only app, launcher, worker, followers, cluster, control, store, adapters, http, chat-bot, commands, projections, events, messages, lib, config, version',
  ],
  ['src/verifier/x.ts', '../events/a.js', 'verifier: only verifier, messages, lib'],
  ['src/app/x.ts', 'pino', 'pino: only in adapters'],
  ['src/app/x.ts', 'commander', 'commander: only in cli'],
  [
    'src/cli/x.ts',
    '../http/a.js',
    'cli: only cli, app, launcher, worker, cluster, control, store, adapters, commands, projections, events, verifier, messages, lib, config, version',
  ],
  ['src/cli/x.ts', 'better-sqlite3', 'better-sqlite3: only in adapters/sqlite, adapters/backup, adapters/xui'],
  ['src/main.ts', './commands/a.js', 'main: only cli, launcher, app/serve'],
  ['src/config.ts', './commands/a.js', 'config: only adapters/data-directory, events, messages, lib'],
  ['src/version.ts', './lib/a.js', 'version: only installation'],
  ['web/x.ts', '../src/events/a.js', 'web: only the contract'],
];

const allowed: [from: string, what: string][] = [
  ['src/app/x.ts', '../adapters/a.js'],
  ['src/app/x.ts', '../worker/a.js'],
  ['src/app/x.ts', '../followers/a.js'],
  ['src/app/x.ts', '../cluster/a.js'],
  ['src/followers/x.ts', '../http/a.js'],
  ['src/cli/x.ts', '../app/a.js'],
  ['src/cli/x.ts', '../verifier/a.js'],
  ['src/cli/x.ts', 'commander'],
  ['src/control/x.ts', '../store/a.js'],
  ['src/launcher/x.ts', '../store/generations.js'],
  ['src/launcher/x.ts', '../adapters/data-directory/a.js'],
  ['src/messages/x.ts', 'i18next'],
  ['src/messages/x.ts', '../installation/a.js'],
  ['src/store/x.ts', '../adapters/a.js'],
  ['src/worker/x.ts', '../store/a.js'],
  ['src/worker/x.ts', '../http/panel/codec/a.js'],
  ['src/cli/x.ts', '../adapters/a.js'],
  ['src/lib/x.ts', '../messages/a.js'],
  ['src/adapters/x.ts', '../messages/a.js'],
  ['src/events/x.ts', 'zod'],
  ['src/commands/x.ts', './ports/a.js'],
  ['src/commands/x.ts', 'node:crypto'],
  ['src/projections/x.ts', './a.js'],
  ['src/http/x.ts', '../commands/a.js'],
  ['src/http/x.ts', 'express'],
  ['src/chat-bot/x.ts', '../projections/a.js'],
  ['src/http/panel/contract/x.ts', 'zod'],
  ['src/http/panel/contract/x.ts', '../../../lib/parse-json.js'],
  ['src/adapters/x.ts', '../commands/ports/a.js'],
  ['src/adapters/x.ts', 'node:fs'],
  ['src/adapters/sqlite/x.ts', 'better-sqlite3'],
  ['src/adapters/web/x.ts', 'undici'],
  ['src/adapters/chat-bot/x.ts', 'grammy'],
  ['src/adapters/core/x.ts', '@grpc/grpc-js'],
  ['src/adapters/nats/x.ts', '@nats-io/jetstream'],
  ['web/x.ts', '../src/http/panel/contract/a.js'],
];

/** One file for each row, beside the place it stands for: `src/lib/x.ts` of row 3 becomes `src/lib/x3.ts`. */
function fileOf(from: string, row: number, prefix: string): string {
  const single = /^src\/(main|config|version)\.ts$/.test(from);
  return single ? from : from.replace(/x\.ts$/, `${prefix}${row}.ts`);
}

/** What lies directly in `src` without a row in the table of borders, and the rows without a folder or file. */
async function unlisted(baseDir: string): Promise<string[]> {
  const { ruleSet } = await extractOptions(join(root, '.dependency-cruiser.cjs'));
  const paths = (ruleSet?.forbidden ?? []).map(({ from }) => String(from.path));
  const folders = paths.flatMap((path) => /^\^src\/([a-z-]+\/)$/.exec(path)?.[1] ?? []);
  const listed = [...folders, 'main.ts', 'config.ts', 'version.ts'];
  const present = readdirSync(join(baseDir, 'src'), { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}/` : entry.name,
  );
  return [...present.filter((name) => !listed.includes(name)), ...listed.filter((name) => !present.includes(name))];
}

describe('borders between the folders', () => {
  it('have a row for each folder of src, and only main.ts, config.ts and version.ts beside them', async () => {
    expect(await unlisted(root)).toStrictEqual([]);
  });

  it('permit imports only in the directions of docs/architecture.md', async () => {
    const { violations, totalCruised } = await borders(root, ['src']);
    const sources = readdirSync(join(root, 'src'), { recursive: true }).filter((file) => String(file).endsWith('.ts'));
    expect(violations.map((v) => `${v.rule.name}: ${v.from} -> ${v.to}`)).toStrictEqual([]);
    // With an unsupported TypeScript version, dependency-cruiser reads no file and reports nothing.
    expect(totalCruised).toBeGreaterThanOrEqual(sources.length);
  });

  describe('with planted imports', () => {
    let folder: string;
    let found: Map<string, string[]>;

    beforeAll(async () => {
      const files: Record<string, string> = {};
      const add = (file: string, what: string): void => {
        files[file] = `${files[file] ?? ''}import '${what}';\n`;
      };
      for (const target of targets) files[target] = 'export {};\n';
      forbidden.forEach(([from, what], row) => add(fileOf(from, row, 'bad'), what));
      allowed.forEach(([from, what], row) => add(fileOf(from, row, 'good'), what));
      add('src/lib/cycle-a.ts', './cycle-b.js');
      files['src/lib/cycle-b.ts'] = "import type { A } from './cycle-a.js';\nexport type B = A;\n";
      folder = plant(files);

      const { violations } = await borders(folder, ['src', 'web']);
      found = new Map();
      for (const violation of violations) {
        found.set(violation.from, [...(found.get(violation.from) ?? []), violation.rule.name]);
      }
    });

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it.each(forbidden.map((row, index) => [...row, index] as const))(
      '%s may not import %s',
      (from, _what, rule, index) => {
        expect(found.get(fileOf(from, index, 'bad'))).toContain(rule);
      },
    );

    it.each(allowed.map((row, index) => [...row, index] as const))('%s may import %s', (from, _what, index) => {
      expect(found.get(fileOf(from, index, 'good')) ?? []).toStrictEqual([]);
    });

    it('report a folder without a row and a new file in src', async () => {
      expect((await unlisted(folder)).sort()).toStrictEqual(['extra.ts', 'jobs/']);
    });

    it('report a cycle, even one of types', () => {
      expect([...(found.get('src/lib/cycle-a.ts') ?? []), ...(found.get('src/lib/cycle-b.ts') ?? [])]).toContain(
        'no-cycles',
      );
    });
  });
});

it.each(['src', 'web/src', 'test', 'web/test', 'bench', 'scripts'])(
  'has at most 25 source files in each folder of %s',
  (top) => {
    const sourcesIn = (folder: string): number =>
      readdirSync(folder).filter((name) => /\.(ts|tsx|mjs|css)$/.test(name)).length;
    const folders = readdirSync(top, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name));
    expect([top, ...folders].filter((folder) => sourcesIn(folder) > 25)).toStrictEqual([]);
  },
);

describe('the linter', () => {
  const impure = `
async function later(): Promise<number> { return 1; }
export function fold(): number {
  later();
  setTimeout(() => 1, 1);
  return Date.now() + Math.random() + Number(process.env['X']);
}
`;
  const rogue = `
import { request } from 'node:http';
import { fetch as other } from 'undici';
export async function call(): Promise<void> { await fetch('x'); await other('x'); request('x'); }
`;
  /** A file of `all` lines with a function of `lines` lines. */
  const long = (lines: number, all: number): string =>
    ['export function long(): void {', ...Array<string>(lines - 2).fill('  // a line'), '}']
      .concat(Array<string>(all - lines).fill('// a line'))
      .join('\n');
  let reported: string[];

  beforeAll(async () => {
    const folder = plant({
      'src/events/impure.ts': impure,
      'src/projections/impure.ts': impure,
      'src/commands/impure.ts': impure,
      'src/commands/client/impure.ts': impure,
      'src/commands/reactors/timer.ts': 'export const t = setTimeout(() => Date.now(), 1);\n',
      'src/commands/reactors/rogue.ts': rogue,
      'src/lib/fits.ts': long(80, 300),
      'src/lib/long.ts': long(81, 301),
      'src/lib/long.generated.ts': long(80, 301),
      'src/adapters/rogue.ts': rogue,
      'src/adapters/web/agent.ts': rogue,
    });
    try {
      const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
      const run = promisify(execFile)(process.execPath, [oxlint, '-f', 'json'], { cwd: folder });
      const stdout = await run.then(
        (done) => done.stdout,
        (failure: { stdout: string }) => failure.stdout,
      );
      const { diagnostics } = JSON.parse(stdout) as {
        diagnostics: { code: string; filename: string; message: string }[];
      };
      reported = diagnostics.map((d) =>
        `${d.filename} ${/\((.*)\)/.exec(d.code)?.[1]} ${/'[^']+'/.exec(d.message)?.[0] ?? ''}`.trim(),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  // Without its type-aware companion, oxlint does not check these rules.
  it.each(['events', 'projections', 'commands'])('reports a promise that is not awaited in src/%s', (layer) => {
    expect(reported).toContain(`src/${layer}/impure.ts no-floating-promises`);
  });

  it.each(['events', 'projections', 'commands', 'commands/client'])(
    'rejects clocks, timers, randomness and the environment in src/%s',
    (layer) => {
      const of = reported.filter((line) => line.startsWith(`src/${layer}/impure.ts no-restricted`));
      expect(of.map((line) => /'[^']+'/.exec(line)?.[0] ?? line).sort()).toStrictEqual([
        "'Date'",
        "'Math.random'",
        "'process'",
        "'setTimeout'",
      ]);
    },
  );

  it('limits functions to 80 lines and files to 300, except generated ones', () => {
    const of = reported.filter((line) => line.startsWith('src/lib/')).map((line) => line.replace(/ $/, ''));
    expect(of.sort()).toStrictEqual(['src/lib/long.ts max-lines', 'src/lib/long.ts max-lines-per-function']);
  });

  it('allows a timer in a reactor', () => {
    expect(reported.filter((line) => line.includes('reactors/timer'))).toStrictEqual([]);
  });

  it('allows outgoing requests only in src/adapters/web', () => {
    const of = reported.filter((line) => line.includes('no-restricted') && /rogue|agent/.test(line));
    const refused = [
      "no-restricted-globals 'fetch'",
      "no-restricted-imports 'request'",
      "no-restricted-imports 'undici'",
    ];
    const folders = ['adapters', 'commands/reactors'];
    expect(of.sort()).toStrictEqual(
      folders.flatMap((folder) => refused.map((rule) => `src/${folder}/rogue.ts ${rule}`)),
    );
  });
});
