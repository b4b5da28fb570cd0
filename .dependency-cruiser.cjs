/**
 * Which folder may import which: the table of docs/architecture.md, in code. Events import no commands and no projections.
 * Commands and projections do not import each other. `app` connects the entry points and the adapters.
 *
 * `test/architecture.test.ts` runs this, and plants a violation of every rule to see that each one bites.
 */

/**
 * Folder of src → what it may import of src, from the lowest layer to the highest. Only `main.ts` and `cli` stand above `app`, which constructs everything.
 */
const may = {
  installation: ['installation'],
  messages: ['messages', 'installation'],
  lib: ['lib', 'messages'],
  events: ['events', 'messages', 'lib'],
  commands: ['commands', 'events', 'messages', 'lib'],
  projections: ['projections', 'events', 'messages', 'lib'],
  'http/panel/contract': [
    'http/panel/contract',
    'lib/parse-json',
    'lib/permissions',
    'events/group-names',
    'messages/message',
    'messages/issue',
  ],
  'chat-bot': ['chat-bot', 'commands', 'projections', 'events', 'messages', 'lib'],
  http: ['http', 'commands', 'projections', 'events', 'messages', 'lib', 'installation'],
  adapters: ['adapters', 'commands/ports', 'events', 'messages', 'lib', 'installation'],
  store: ['store', 'adapters', 'commands', 'projections', 'events', 'messages', 'lib'],
  control: ['control', 'store', 'adapters', 'commands', 'projections', 'events', 'messages', 'lib'],
  worker: [
    'worker',
    ...[
      'store',
      'adapters',
      'http/panel/codec',
      'commands',
      'projections',
      'events',
      'messages',
      'lib',
      'installation',
    ],
  ],
  followers: [
    'followers',
    ...['control/signals', 'store', 'adapters', 'http', 'projections', 'events', 'messages', 'lib', 'installation'],
  ],
  cluster: ['cluster', 'store', 'adapters', 'commands', 'projections', 'events', 'messages', 'lib'],
  launcher: ['launcher', 'store/generations', 'adapters/data-directory', 'messages', 'lib', 'version'],
  app: [
    'app',
    ...['launcher', 'worker', 'followers', 'cluster', 'control', 'store', 'adapters', 'http', 'chat-bot'],
    ...['commands', 'projections', 'events', 'messages', 'lib', 'config', 'version'],
  ],
  verifier: ['verifier', 'messages', 'lib'],
  cli: [
    'cli',
    ...[
      'app',
      'launcher',
      'worker',
      'cluster',
      'control',
      'store',
      'adapters',
      'commands',
      'projections',
      'events',
      'verifier',
    ],
    ...['messages', 'lib', 'config', 'version'],
  ],
};
/** The files that lie directly in src. */
const root = {
  main: ['cli', 'launcher', 'app/serve'],
  config: ['adapters/data-directory', 'events', 'messages', 'lib'],
  version: ['installation'],
};

/** npm package → the folders of src where it is at home. Packages in no row may be used anywhere but in the contract. */
const rooms = {
  express: ['http'],
  ws: ['http'],
  'better-sqlite3': ['adapters/sqlite', 'adapters/backup', 'adapters/xui'],
  pino: ['adapters'],
  '@grpc/[^/]+': ['adapters/core'],
  undici: ['adapters/web'],
  socks: ['adapters/web'],
  tinypool: ['adapters/threads'],
  protobufjs: ['adapters/geo', 'adapters/releases'],
  ldapts: ['adapters/directory'],
  grammy: ['adapters/chat-bot'],
  '@nats-io/[^/]+': ['adapters/nats'],
  commander: ['cli'],
  i18next: ['messages'],
  zod: ['events', 'http', 'commands', 'adapters', 'cluster', 'control', 'config.ts'],
  immer: ['events', 'commands', 'projections'],
  rxjs: ['lib', 'events', 'commands', 'projections', 'http', 'chat-bot', 'adapters', 'store', 'app'],
};

const npm = (name) => `node_modules/(@types/)?${name}/`;
const inside = (folders) => `^src/(${folders.join('|')})(/|\\.ts$)`;

/** What reaches the disk, the network or another process: the inside asks a port for it. (`net` stays: `isIP` is pure.) */
const io =
  '^(node:)?(fs|fs/promises|tls|http|https|http2|dgram|dns|dns/promises|child_process|worker_threads|cluster)$';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-missing-imports', severity: 'error', from: { path: '^src/' }, to: { couldNotResolve: true } },
    ...Object.entries({ ...may, ...root }).map(([from, to]) => ({
      name: `${from}: only ${to.length === 0 ? 'packages' : to.join(', ')}`,
      severity: 'error',
      from: { path: from in root ? `^src/${from}\\.ts$` : `^src/${from}/` },
      to: { path: '^src/', ...(to.length > 0 && { pathNot: inside(to) }) },
    })),
    ...Object.entries(rooms).map(([name, where]) => ({
      name: `${name}: only in ${where.join(', ')}`,
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(${where.join('|')})(/|$)` },
      to: { path: npm(name) },
    })),
    {
      name: 'contract: only zod',
      comment: 'The web client reads the contract as well, so it must run in a browser.',
      severity: 'error',
      from: { path: '^src/http/panel/contract/' },
      to: { pathNot: ['^src/', npm('zod')] },
    },
    {
      name: 'inside: no input or output',
      severity: 'error',
      from: { path: '^src/(installation|lib|messages|events|commands|projections)/' },
      to: { path: io },
    },
    {
      name: 'src: no development packages',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/@types/',
      },
    },
    {
      name: 'src: nothing from outside',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|web|scripts|dist)/' },
    },
    {
      name: 'web: only the contract',
      comment: 'web/ is reserved for the web client, which is not in this tree yet.',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^src/', pathNot: '^src/http/panel/contract/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Imports of types count too: a border that types may cross is no border.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
