import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { directionOf, type Language } from '../../messages/language.js';
import { message } from '../../messages/message.js';
import { render } from '../../messages/render.js';
import { languageOf } from '../language/language.js';
import { contentSecurityPolicy } from '../server/headers.js';
import { ACCOUNT } from './page/client/account.js';
import { BACKUPS } from './page/client/backups.js';
import { BASE } from './page/client/base.js';
import { CORE } from './page/client/core.js';
import { LISTS } from './page/client/lists.js';
import { NODES } from './page/client/nodes.js';
import { SETTINGS } from './page/client/settings.js';
import { START } from './page/client/start.js';
import { LOGIN_SCRIPT, loginMarkup } from './page/login.js';
import { panelMarkup } from './page/panel.js';
import { STYLE } from './page/style.js';
import { type Say, scriptWords } from './page/words.js';

const PANEL_SCRIPT = [BASE, LISTS, NODES, BACKUPS, CORE, SETTINGS, ACCOUNT, START].join('');

/**
 * The only page of the panel: a login form, and the panel itself after the login. It contains no data and no version, so it
 * is the same for all users with the same language; its data comes from the API.
 */
export function page(isLoggedIn: (req: Request, res: Response) => boolean): RequestHandler {
  return (req, res) => {
    const nonce = randomBytes(16).toString('base64');
    const language = languageOf(req.headers);
    res.setHeader('Content-Security-Policy', contentSecurityPolicy(nonce));
    res.setHeader('Content-Language', language);
    res.vary('Accept-Language, Cookie');
    res.type('html').send(documentOf(language, nonce, isLoggedIn(req, res)));
  };
}

function documentOf(language: Language, nonce: string, inside: boolean): string {
  const t: Say = (code) => render(message(code), language);
  const title = inside ? t('page.panel') : t('page.signIn');
  const words = inside ? ` data-words="${scriptWords(t)}"` : '';
  return `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style></head>
<body data-silent="${t('page.panelNotResponding')}"${words}>${inside ? panelMarkup(t, language) : loginMarkup(t)}<script nonce="${nonce}">${inside ? PANEL_SCRIPT : LOGIN_SCRIPT}</script></body></html>
`;
}
