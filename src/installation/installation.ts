/**
 * Where the files of this installation are. As a source, this module is in `src/installation`; in the build it is in `dist/chunks`.
 * Both are two folders below the root, which `scripts/bundle.mjs` checks.
 */
const root = new URL('../../', import.meta.url);
const isBuilt = import.meta.url.endsWith('.js');

/** A file of the installation, such as `package.json` or `locales/en/client.json`. */
export const installedFile = (path: string): URL => new URL(path, root);

/** A file or folder in `src` that is not TypeScript. The build copies it to `dist`. */
export const sourceAsset = (path: string): URL =>
  new URL(path, isBuilt ? new URL('dist/', root) : new URL('src/', root));

/**
 * A program that runs in a process or thread of its own, by its path in `src` without an extension. It is also an entry
 * point of `scripts/bundle.mjs`.
 */
export const programFile = (path: string): URL => sourceAsset(`${path}${isBuilt ? '.js' : '.ts'}`);

/** Options of Node that `programFile` needs: the sources are TypeScript. */
export const programOptions: readonly string[] = isBuilt
  ? []
  : ['--import', installedFile('scripts/typescript.mjs').href];
