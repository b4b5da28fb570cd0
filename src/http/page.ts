import { randomBytes } from 'node:crypto';
import type { RequestHandler } from 'express';
import { contentSecurityPolicy } from './headers.js';
import { directionOf, languageOf } from './language/language.js';
import { translated } from './language/translate.js';

const STYLE = `:root{color-scheme:light dark;--line:#8884}*{box-sizing:border-box}
body{margin:0 auto;max-width:64rem;padding:1.5rem 1rem;font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.2rem}h2{font-size:1rem;margin:1.5rem 0 .5rem}[hidden]{display:none!important}
form{max-width:20rem;margin:15vh auto 0;display:grid;gap:.8rem}label{display:grid;gap:.2rem}
input,button{font:inherit;padding:.45rem .7rem;border:1px solid var(--line);border-radius:.4rem}
header,.cards{display:flex;flex-wrap:wrap;gap:1rem;align-items:center}header h1{margin:0 auto 0 0}
.cards div{flex:1 1 9rem;padding:.7rem;border:1px solid var(--line);border-radius:.5rem}.cards b{display:block;font-size:1.15rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{padding:.35rem .6rem;text-align:start;border-bottom:1px solid var(--line);white-space:nowrap}
.number{text-align:end;font-variant-numeric:tabular-nums}.off{opacity:.5}#error{color:#c62a2f;min-height:1.5em;margin:0}`;

/** The words of the page, by `t`; those of the script are handed to it on the body. */
const markup = (t: (text: string) => string): string => `<form id="login"><h1>${t('Sign in')}</h1>
<label>${t('User name')}<input name="username" autocomplete="username" required autofocus></label>
<label>${t('Password')}<input name="password" type="password" autocomplete="current-password" required></label>
<button>${t('Sign in')}</button><p id="error" role="alert"></p></form>
<main id="panel" hidden><header><h1>${t('Panel')}</h1><button id="logout" type="button">${t('Sign out')}</button></header>
<section class="cards" aria-live="off"><div>${t('Core')}<b id="core">–</b></div><div>${t('Processor')}<b id="cpu">–</b></div>
<div>${t('Memory')}<b id="mem">–</b></div><div>${t('Network')}<b id="net">–</b></div></section>
<h2>${t('Inbounds')}</h2><div class="scroll"><table><thead><tr><th>${t('Remark')}<th>${t('Protocol')}<th>${t('Port')}<th class="number">${t('Up')}<th class="number">${t('Down')}<th>${t('Enabled')}</thead>
<tbody id="inbounds"></tbody></table></div>
<h2>${t('Clients')}</h2><div class="scroll"><table><thead><tr><th>${t('Email')}<th>${t('Inbound')}<th class="number">${t('Up')}<th class="number">${t('Down')}<th class="number">${t('Cap')}<th>${t('Expires')}</thead>
<tbody id="clients"></tbody></table></div><p id="more" hidden>${t('Not all clients are shown.')}</p></main>`;

/** Everything that comes from the panel is set as text, never as markup. */
const SCRIPT = `const $ = (id) => document.getElementById(id);
const MOST = 500;
let token = '', socket = null;

async function call(method, path, body) {
  const headers = { 'X-Requested-With': 'XMLHttpRequest', 'X-CSRF-Token': token };
  if (body) headers['Content-Type'] = 'application/json';
  const response = await fetch(path, { method, headers, body: body ? JSON.stringify(body) : undefined });
  if (response.status === 401) { show(false); throw new Error('signed out'); }
  return response.json();
}
const get = (path) => call('GET', path);
const post = (path, body) => call('POST', path, body || {});

function bytes(count) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  for (; count >= 1024 && unit < 4; unit += 1) count /= 1024;
  return count.toFixed(unit === 0 ? 0 : 1) + ' ' + units[unit];
}
function row(cells, off) {
  const line = document.createElement('tr');
  if (off) line.className = 'off';
  for (const cell of cells) {
    const field = document.createElement('td');
    if (cell instanceof Node) field.append(cell);
    else if (typeof cell === 'number') { field.className = 'number'; field.textContent = bytes(cell); }
    else field.textContent = cell;
    line.append(field);
  }
  return line;
}
function toggle(inbound) {
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.checked = inbound.enable;
  box.setAttribute('aria-label', inbound.remark);
  box.addEventListener('change', () => post('panel/api/inbounds/setEnable/' + inbound.id, { enable: box.checked }).then(list, () => {}));
  return box;
}
function status({ core, cpu, mem, netIO }) {
  $('core').textContent = core.state + (core.state === 'running' ? ' ' + core.version : '');
  $('core').title = core.errorMsg;
  $('cpu').textContent = cpu.toFixed(1) + ' %';
  $('mem').textContent = bytes(mem.current) + ' / ' + bytes(mem.total);
  $('net').textContent = '↑ ' + bytes(netIO.up) + '/s ↓ ' + bytes(netIO.down) + '/s';
}
async function list() {
  const inbounds = (await get('panel/api/inbounds/list')).obj || [];
  $('inbounds').replaceChildren(...inbounds.map((one) => row([one.remark, one.protocol, String(one.port), one.up, one.down, toggle(one)], !one.enable)));
  const clients = inbounds.flatMap((one) => (one.clientStats || []).map((client) => [client, one.remark]));
  $('clients').replaceChildren(...clients.slice(0, MOST).map(([client, remark]) => row([client.email, remark, client.up, client.down,
    client.total > 0 ? client.total : '∞', client.expiryTime > 0 ? new Date(client.expiryTime).toLocaleString() : '–'], client.enable === false)));
  $('more').hidden = clients.length <= MOST;
}
function follow() {
  if (socket) return;
  socket = new WebSocket(new URL('ws', location.href).href.replace(/^http/, 'ws'));
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data);
    if (message.type === 'status') status(message.data);
    if (message.type === 'invalidate' && message.resource === 'inbounds') list().catch(() => {});
  });
  socket.addEventListener('close', () => { socket = null; if (!$('panel').hidden) setTimeout(enter, 3000); });
}
function show(inside) {
  $('login').hidden = inside;
  $('panel').hidden = !inside;
  if (!inside && socket) socket.close();
}
async function enter() {
  try {
    token = (await get('csrf-token')).obj;
    status((await get('panel/api/server/status')).obj);
    await list();
    show(true);
    follow();
  } catch (error) {
    if (error.message !== 'signed out') $('error').textContent = document.body.dataset.silent;
    if (!$('panel').hidden) setTimeout(enter, 3000);
  }
}
$('login').addEventListener('submit', async (event) => {
  event.preventDefault();
  $('error').textContent = '';
  try {
    const answer = await post('login', Object.fromEntries(new FormData(event.target)));
    if (!answer.success) { $('error').textContent = answer.msg; return; }
    event.target.reset();
    await enter();
  } catch (error) {
    $('error').textContent = document.body.dataset.silent;
  }
});
$('logout').addEventListener('click', async () => { await post('logout').catch(() => {}); show(false); location.reload(); });
setInterval(() => { if (!$('panel').hidden) list().catch(() => {}); }, 15000);
enter();`;

/**
 * The one page of the panel: the login, and behind it what runs. It holds no data and no version, so it is the same for
 * everybody who speaks the language; what it shows comes over the API.
 */
export const page: RequestHandler = (req, res) => {
  const nonce = randomBytes(16).toString('base64');
  const language = languageOf(req.headers);
  const t = (text: string): string => translated(text, language);
  res.setHeader('Content-Security-Policy', contentSecurityPolicy(nonce));
  res.setHeader('Content-Language', language);
  res.vary('Accept-Language, Cookie');
  res.type('html').send(`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${t('Sign in')}</title><link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style></head>
<body data-silent="${t('The panel does not answer.')}">${markup(t)}<script nonce="${nonce}">${SCRIPT}</script></body></html>
`);
};
