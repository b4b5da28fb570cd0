/**
 * Who may import whom: the table of docs/architecture.md, in code. Three sentences say it all.
 * Facts know nothing. Deciding and remembering do not know each other. Edges meet only in the composition files.
 *
 * `test/architecture.test.ts` runs this, and plants a violation of every rule to see that each one bites.
 */

/** Folder of src → the folders of src it may import. The composition files, in no row, may import anything. */
const may = {
  lib: ['lib'],
  events: ['events', 'lib'],
  commands: ['commands', 'events', 'lib'],
  projections: ['projections', 'events', 'lib'],
  'http/contract': ['http/contract', 'lib/parse-json'],
  'chat-bot': ['chat-bot', 'commands', 'projections', 'events', 'lib'],
  http: ['http', 'commands', 'projections', 'events', 'lib'],
  adapters: ['adapters', 'commands/ports', 'projections/ports', 'events', 'lib'],
};

/** npm package → the folders of src where it is at home. Packages in no row may be used anywhere but in the contract. */
const rooms = {
  express: ['http'],
  ws: ['http'],
  'better-sqlite3': ['adapters/sqlite', 'adapters/backup', 'adapters/foreign'],
  pino: ['adapters'],
  '@grpc/[^/]+': ['adapters/core'],
  undici: ['adapters/web'],
  socks: ['adapters/web'],
  protobufjs: ['adapters/geo', 'adapters/releases'],
  ldapts: ['adapters/directory'],
  grammy: ['adapters/chat-bot'],
  zod: ['events', 'http', 'commands', 'adapters'],
  immer: ['events', 'commands', 'projections'],
  rxjs: ['lib', 'events', 'commands', 'projections', 'http', 'chat-bot', 'adapters'],
};

const composition = '^src/((app|main|cli|config)\\.ts$|cli/)';
const npm = (name) => `node_modules/(@types/)?${name}/`;
const inside = (folders) => `^src/(${folders.join('|')})(/|\\.ts$)`;

/** What reaches the disk, the network or another process: the inside asks a port for it. (`net` stays: `isIP` is pure.) */
const io =
  '^(node:)?(fs|fs/promises|tls|http|https|http2|dgram|dns|dns/promises|child_process|worker_threads|cluster)$';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-missing-imports', severity: 'error', from: { path: '^src/' }, to: { couldNotResolve: true } },
    ...Object.entries(may).map(([from, to]) => ({
      name: `${from}: only ${to.join(', ')}`,
      severity: 'error',
      from: { path: `^src/${from}/` },
      to: { path: '^src/', pathNot: inside(to) },
    })),
    ...Object.entries(rooms).map(([name, where]) => ({
      name: `${name}: only in ${where.join(', ')}`,
      severity: 'error',
      from: { path: '^src/', pathNot: [`^src/(${where.join('|')})/`, composition] },
      to: { path: npm(name) },
    })),
    {
      name: 'contract: only zod',
      comment: 'The web client reads the contract as well, so it must run in a browser.',
      severity: 'error',
      from: { path: '^src/http/contract/' },
      to: { pathNot: ['^src/', npm('zod')] },
    },
    {
      name: 'inside: no input or output',
      severity: 'error',
      from: { path: '^src/(lib|events|commands|projections)/' },
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
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^src/', pathNot: '^src/http/contract/' },
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
