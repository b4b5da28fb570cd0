import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Request, RequestHandler, Response, Router } from 'express';
import { installedFile } from '../../installation/installation.js';
import { directionOf } from '../../messages/language.js';
import { languageOf } from '../language/language.js';
import { contentSecurityPolicy } from '../server/headers.js';
import { notFound } from '../server/not-found.js';

/** What `npm run build` made of `web/`. */
const BUILT = fileURLToPath(installedFile('web/dist'));

/** Two documents with files of their own. The login is public; the panel is only for sessions. */
type Shell = 'login' | 'panel';

const NOT_BUILT =
  'The web panel is not built. Run "npm run build" in the folder of the panel, then reload this page.\n';

/** Text becomes HTML only through the policy in web/src/theme/trusted-types.ts. */
const TRUSTED_TYPES = "require-trusted-types-for 'script'; trusted-types default";

/** File names carry a hash of the content, so a browser may cache them forever. */
const FOREVER = 'max-age=31536000, immutable';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
};
/** As the build compresses: encoding → file extension, the best first. */
const ENCODINGS: Readonly<Record<string, string>> = { br: '.br', gzip: '.gz' };

/** Serves the web panel: the document at the base path, and the files it loads. */
export function mountWeb(router: Router, isLoggedIn: (req: Request, res: Response) => boolean): void {
  router.get('/', documentHandler(isLoggedIn));
  router.get('/assets/:shell/:file', assetHandler(isLoggedIn));
}

function documentHandler(isLoggedIn: (req: Request, res: Response) => boolean): RequestHandler {
  const documents = new Map<Shell, string>();
  return (req, res) => {
    const shell = isLoggedIn(req, res) ? 'panel' : 'login';
    const file = join(BUILT, shell, 'index.html');
    const text = documents.get(shell) ?? (existsSync(file) ? readFileSync(file, 'utf8') : null);
    if (text === null) {
      res.status(503).type('text/plain').send(NOT_BUILT);
      return;
    }
    documents.set(shell, text);
    const nonce = randomBytes(16).toString('base64');
    const language = languageOf(req.headers);
    res.setHeader('Content-Security-Policy', `${contentSecurityPolicy(nonce)}; ${TRUSTED_TYPES}`);
    res.setHeader('Content-Language', language);
    res.vary('Accept-Language, Cookie');
    const places = { NONCE: nonce, LANG: language, DIR: directionOf(language) };
    res.type('html').send(text.replaceAll(/%(NONCE|LANG|DIR)%/g, (_, name: keyof typeof places) => places[name]));
  };
}

function assetHandler(isLoggedIn: (req: Request, res: Response) => boolean): RequestHandler {
  return async (req, res) => {
    const { shell, file } = req.params;
    const type = TYPES[extname(String(file))];
    const isPublic = shell === 'login';
    if (!type || !/^[\w.-]+$/.test(String(file))) return notFound(res);
    if (!isPublic && !(shell === 'panel' && isLoggedIn(req, res))) return notFound(res);
    const path = join(BUILT, shell, 'assets', shell, String(file));
    for (const [encoding, extension] of [...acceptedBy(req), ['', ''] as const]) {
      const bytes = await contentOf(path + extension);
      if (!bytes) continue;
      res.setHeader('Cache-Control', `${isPublic ? 'public' : 'private'}, ${FOREVER}`);
      res.setHeader('Content-Type', type);
      res.setHeader('Content-Length', bytes.length);
      res.vary('Accept-Encoding');
      if (encoding !== '') res.setHeader('Content-Encoding', encoding);
      res.end(bytes);
      return;
    }
    notFound(res);
  };
}

function acceptedBy(req: Request): readonly (readonly [string, string])[] {
  return Object.entries(ENCODINGS).filter(([encoding]) => req.acceptsEncodings(encoding) === encoding);
}

/** The content of a file; null when there is none. */
async function contentOf(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
