// Module hooks of Node that resolve and load TypeScript sources. Types are only stripped; `npm run types` checks them.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { needsBuild } from './setup.mjs';

/** Compiled sources by the digest of their text: loading the compiler takes longer than most programs run. */
const CACHE = fileURLToPath(new URL('../node_modules/.cache/portolan-typescript', import.meta.url));

const SOURCES = new URL('../src/', import.meta.url).href;
const BUILD = new URL('../dist/', import.meta.url).href;

/** A program in `src`, such as a worker, in the build: that starts several times faster. Null if the build is not current. */
function built(url) {
  if (!url.startsWith(SOURCES) || !url.endsWith('.ts')) return null;
  const file = `${BUILD}${url.slice(SOURCES.length, -'.ts'.length)}.js`;
  return existsSync(new URL(file)) && !needsBuild({ unchecked: true }) ? file : null;
}

/** Sources import each other by their names after the build: `./log.js` is `./log.ts` here. */
export async function resolve(specifier, context, next) {
  const program = context.parentURL?.endsWith('.ts') ? null : built(specifier);
  if (program !== null) return next(program, context);
  const fromSource = context.parentURL?.endsWith('.ts') && /^\.{1,2}\//.test(specifier);
  return next(fromSource ? specifier.replace(/\.js$/, '.ts') : specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const text = await readFile(new URL(url), 'utf8');
  const file = join(CACHE, `${createHash('sha256').update(url).update('\0').update(text).digest('hex')}.js`);
  const source = await readFile(file, 'utf8').catch(() => compiled(text, fileURLToPath(url), file));
  return { format: 'module', source, shortCircuit: true };
}

async function compiled(text, fileName, file) {
  const { default: ts } = await import('typescript');
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    inlineSourceMap: true,
  };
  const { outputText } = ts.transpileModule(text, { compilerOptions, fileName });
  await mkdir(CACHE, { recursive: true });
  // Renamed into place, so that no other process reads a partial file.
  await writeFile(`${file}.${process.pid}`, outputText);
  await rename(`${file}.${process.pid}`, file);
  return outputText;
}
