// Bundles src and the packages that it imports into a few files: loading a thousand small files takes most of the time of a
// start.
import { readdirSync, readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './process.mjs';

/** Programs by their paths in `src` and, as `.js`, in `dist`. `bin/portolan` and `programFile` start them. */
const PROGRAMS = [
  'main',
  'launcher/start',
  'worker/backup-child',
  'worker/log-scan',
  'followers/follower',
  'adapters/nodes/listing-worker',
  'adapters/passwords/bcrypt-worker',
];

/** Packages that stay in `node_modules`: machine code, files to serve, threads of their own, and what is rarely needed. */
const EXTERNAL = ['better-sqlite3', 'swagger-ui-dist', 'tinypool', 'grammy', 'undici'];

/** Folders in `src` that are read at run time. */
const ASSETS = ['adapters/core/control/proto'];

/** `src/installation/installation.ts` relies on being two folders below the root. */
const CHUNKS = 'chunks';
const INSTALLATION = join(root, 'src', 'installation', 'installation.ts');

/** Writes the bundle to `folder`. Rejects with a message for the reader. */
export async function bundle(folder) {
  const build = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries(PROGRAMS.map((path) => [path, `src/${path}.ts`])),
    external: EXTERNAL,
    resolve: {
      extensionAlias: { '.js': ['.ts', '.js'] },
      // For Node, rxjs exports CommonJS, of which a bundle contains every operator.
      alias: { rxjs: join(root, 'node_modules', 'rxjs', 'dist', 'esm', 'index.js') },
    },
  });
  try {
    const { output } = await build.write({
      dir: folder,
      format: 'esm',
      chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
      // Licences are in a file of their own.
      comments: false,
      sourcemap: true,
      sourcemapExcludeSources: true,
    });
    const chunks = output.filter(({ type }) => type === 'chunk');
    const place = chunks.find(({ moduleIds }) => moduleIds.includes(INSTALLATION))?.fileName ?? 'no file';
    if (dirname(place) !== CHUNKS)
      throw new Error(`src/installation/installation.ts is in ${place}, not in ${CHUNKS}/`);
    await writeLicences(folder, packagesOf(chunks));
    await bundleVerifier(folder);
    for (const path of ASSETS) await cp(join(root, 'src', path), join(folder, path), { recursive: true });
  } finally {
    await build.close();
  }
}

/** The verifier for outsiders: one file that needs only Node. */
async function bundleVerifier(folder) {
  const build = await rolldown({
    cwd: root,
    platform: 'node',
    input: 'src/verifier/verify-log.ts',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  try {
    const { output } = await build.write({ file: join(folder, 'verify-log.mjs'), format: 'esm', comments: false });
    const [{ imports }] = output;
    const others = output.length > 1 ? ['another file'] : imports.filter((name) => !name.startsWith('node:'));
    if (others.length > 0) throw new Error(`dist/verify-log.mjs must need only Node, but imports ${others.join(', ')}`);
  } finally {
    await build.close();
  }
}

/** The folders of the bundled packages. */
function packagesOf(chunks) {
  const inPackage = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
  const folders = chunks.flatMap(({ moduleIds }) => moduleIds.flatMap((id) => inPackage.exec(id) ?? []));
  return [...new Set(folders)].sort((a, b) => (a < b ? -1 : 1));
}

/** Their licences require that the copies in the bundle come with the notices. */
async function writeLicences(folder, packages) {
  const notices = packages.map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const files = readdirSync(path).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
    const texts = files.map((file) => readFileSync(join(path, file), 'utf8').trim());
    return [`${name} ${version}${license ? ` (${license})` : ''}`, ...texts].join('\n\n');
  });
  await writeFile(join(folder, 'LICENSES.txt'), `${notices.join(`\n\n${'-'.repeat(78)}\n\n`)}\n`);
}
