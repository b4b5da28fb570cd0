import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { directionOf, type Language } from '../../messages/language.js';
import { message } from '../../messages/message.js';
import { render } from '../../messages/render.js';
import { languageOf } from '../language/language.js';
import { contentSecurityPolicy } from '../server/headers.js';
import { notFound } from '../server/not-found.js';
import { ACCOUNT } from './page/client/account.js';
import { BACKUPS } from './page/client/backups.js';
import { BASE } from './page/client/base.js';
import { CORE } from './page/client/core.js';
import { LISTS } from './page/client/lists.js';
import { NODES } from './page/client/nodes.js';
import { SETTINGS } from './page/client/settings.js';
import { START } from './page/client/start.js';
import { panelMarkup } from './page/panel.js';
import { STYLE } from './page/style.js';
import { type Say, scriptWords } from './page/words.js';

const PANEL_SCRIPT = [BASE, LISTS, NODES, BACKUPS, CORE, SETTINGS, ACCOUNT, START].join('');

/**
 * The former page of the panel, for sessions only, until every screen of `web/` is there. It contains no data and no
 * version; its data comes from the API.
 */
export function classicPage(isLoggedIn: (req: Request, res: Response) => boolean): RequestHandler {
  return (req, res) => {
    if (!isLoggedIn(req, res)) return notFound(res);
    const nonce = randomBytes(16).toString('base64');
    const language = languageOf(req.headers);
    res.setHeader('Content-Security-Policy', contentSecurityPolicy(nonce));
    res.setHeader('Content-Language', language);
    res.vary('Accept-Language, Cookie');
    res.type('html').send(documentOf(language, nonce));
  };
}

function documentOf(language: Language, nonce: string): string {
  const t: Say = (code) => render(message(code), language);
  const words = ` data-words="${scriptWords(t)}"`;
  return `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${t('page.panel')}</title><link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style></head>
<body data-silent="${t('page.panelNotResponding')}"${words}>${panelMarkup(t, language)}<script nonce="${nonce}">${PANEL_SCRIPT}</script></body></html>
`;
}
