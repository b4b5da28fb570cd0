// Module hooks of Node: how a TypeScript source is found and read. Types are only removed here; `npm run types` checks them.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const compilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  inlineSourceMap: true,
};

/** A source imports another one by the name that it has after the build: `./log.js` is `./log.ts` here. */
export async function resolve(specifier, context, next) {
  const fromSource = context.parentURL?.endsWith('.ts') && /^\.{1,2}\//.test(specifier);
  return next(fromSource ? specifier.replace(/\.js$/, '.ts') : specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const text = await readFile(new URL(url), 'utf8');
  const { outputText } = ts.transpileModule(text, { compilerOptions, fileName: fileURLToPath(url) });
  return { format: 'module', source: outputText, shortCircuit: true };
}
