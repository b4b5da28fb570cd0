import { renameSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { compression, defineAlgorithm } from 'vite-plugin-compression2';
import { checkTexts } from './texts.mjs';

/** The build fails when a language lacks a text. */
const texts: Plugin = {
  name: 'texts',
  buildStart() {
    const problems = checkTexts();
    if (problems.length > 0) this.error(problems.join('\n'));
  },
};

/** Names the document of a shell `index.html`, wherever the build was put. */
function document(shell: string): Plugin {
  let folder = '';
  return {
    name: 'document',
    configResolved: ({ build }) => {
      folder = build.outDir;
    },
    // Not closeBundle, which also runs after a failed build: its error would replace that of the build.
    writeBundle: () => renameSync(join(folder, `${shell}.html`), join(folder, 'index.html')),
  };
}

/**
 * Two builds that share no file: the login is public, everything of the panel is behind it. `vite build --mode login` and
 * `--mode panel`.
 */
export default defineConfig(({ mode: shell }) => ({
  // Relative, so that the files work under any base path.
  base: './',
  plugins: [
    texts,
    react(),
    compression({
      algorithms: [defineAlgorithm('gzip', { level: 9 }), defineAlgorithm('brotliCompress')],
      exclude: [/\.html$/, /\.woff2$/],
    }),
    document(shell),
  ],
  html: { cspNonce: '%NONCE%' },
  build: {
    target: 'es2022',
    outDir: `dist/${shell}`,
    assetsDir: `assets/${shell}`,
    // A data: URL in a style sheet would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    rolldownOptions: {
      input: `${shell}.html`,
      // What the first visit needs is one file: many small ones compress worse, and each is a request.
      output: { codeSplitting: { groups: [{ name: 'base', tags: ['$initial'], test: /^(?!.*(?:html|main.tsx)$)/ }] } },
    },
  },
}));
