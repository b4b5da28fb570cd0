import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler, Response, Router } from 'express';
import { notFound } from '../../server/not-found.js';
import { apiDocsRoutes } from '../contract/api-docs.js';
import type { Gate } from '../mount.js';
import { openApi } from './document.js';
import { docsPage, startScript } from './pages.js';

/** The files that the page needs, and no other files of the package. */
const FILES: ReadonlyMap<string, { readonly type: string; readonly read: () => Promise<Buffer> }> = new Map([
  ['swagger-ui.css', { type: 'text/css', read: () => packaged('swagger-ui.css') }],
  ['swagger-ui-bundle.js', { type: 'text/javascript', read: () => packaged('swagger-ui-bundle.js') }],
  ['start.js', { type: 'text/javascript', read: async () => Buffer.from(startScript) }],
]);
/** They change only with a release of the panel. */
const CACHING = 'private, max-age=3600';

/** Binds the contract and its page. Like everything about the panel, they require a login. */
export function mountApiDocs(router: Router, gate: Gate, version: string): void {
  const { openapi, page, file } = apiDocsRoutes;
  // Building it takes tens of milliseconds, and it changes only with the base path.
  let made: { readonly base: string; readonly text: string } | null = null;
  router.get(openapi.path, gate.guard(openapi), (req, res) => {
    const base = req.originalUrl.slice(0, req.originalUrl.indexOf(openapi.path));
    if (made?.base !== base) made = { base, text: JSON.stringify(openApi(version, base)) };
    res.type('json').send(made.text);
  });
  router.get(page.path, gate.guard(page), (_req, res) => void res.type('html').send(docsPage));
  router.get(file.path, gate.guard(file), sendFile);
}

const sendFile: RequestHandler = async (req, res) => {
  const name = String(req.params['file']);
  const file = FILES.get(name);
  if (!file) return notFound(res);
  const zipped = req.acceptsEncodings('gzip') === 'gzip';
  res.setHeader('Cache-Control', CACHING);
  res.vary('Accept-Encoding').type(file.type);
  if (zipped) res.setHeader('Content-Encoding', 'gzip');
  sendBytes(res, zipped ? await compressed(name, file.read) : await file.read());
};

function sendBytes(res: Response, bytes: Buffer): void {
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes);
}

const compressedFiles = new Map<string, Promise<Buffer>>();

/** Compressed once, on first use. */
function compressed(name: string, read: () => Promise<Buffer>): Promise<Buffer> {
  const known = compressedFiles.get(name) ?? read().then(promisify(gzip));
  compressedFiles.set(name, known);
  return known;
}

function packaged(name: string): Promise<Buffer> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return readFile(join(folder, name));
}
