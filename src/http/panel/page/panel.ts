import { logLevels } from '../../../commands/ports/logs.js';
import { type Language, languageNames } from '../../../messages/language.js';
import { settingFields } from './fields.js';
import type { Say } from './words.js';

/** The markup after the login: one section for each tab, without data. */
export const panelMarkup = (t: Say, language: Language): string => `<main id="panel"><header><h1>${t('page.panel')}</h1>
<select id="language" aria-label="${t('page.language')}">${options(languageNames, language)}</select>
<a href="panel/api-docs">${t('page.apiDocumentation')}</a><button id="logout" type="button">${t('page.signOut')}</button></header>
<nav aria-label="${t('page.sections')}"><a href="#/status">${t('page.status')}</a><a href="#/inbounds">${t('page.inbounds')}</a><a href="#/clients">${t('page.clients')}</a><a href="#/nodes">${t('page.nodes')}</a><a href="#/backups">${t('page.backups')}</a><a href="#/core">${t('page.core')}</a><a href="#/logs">${t('page.logs')}</a><a href="#/settings">${t('page.settings')}</a><a href="#/account">${t('page.account')}</a></nav>
<section id="tab-status"><div class="cards" aria-live="off"><div>${t('page.core')}<b id="core">–</b><small id="coreError" class="bad"></small></div><div>${t('page.processor')}<b id="cpu">–</b></div>
<div>${t('page.memory')}<b id="mem">–</b></div><div>${t('page.network')}<b id="net">–</b></div></div>
<p class="row">${order('panel/api/server/restartCoreService', t('page.restartCore'), 'restartCore')}${order('panel/api/server/stopCoreService', t('page.stopCore'), 'stopCore')}</p></section>
<section id="tab-inbounds" hidden><div class="scroll"><table><thead><tr><th>${t('page.remark')}<th>${t('page.protocol')}<th>${t('page.port')}<th class="number">${t('page.up')}<th class="number">${t('page.down')}<th>${t('page.enabled')}<th>${t('page.actions')}</thead>
<tbody id="inbounds"></tbody></table></div>
<details><summary>${t('page.addInbound')}</summary><form id="addInbound"><label>${t('page.inboundAsJson')}<textarea id="newInbound" dir="ltr" spellcheck="false" required></textarea></label>
<p class="row"><button>${t('page.add')}</button></p></form></details></section>
<section id="tab-clients" hidden><div class="row"><label>${t('page.search')}<input id="search" type="search"></label></div>
<div class="scroll"><table><thead><tr><th>${t('page.email')}<th>${t('page.inbound')}<th class="number">${t('page.up')}<th class="number">${t('page.down')}<th class="number">${t('page.cap')}<th>${t('page.expires')}<th>${t('page.actions')}</thead>
<tbody id="clients"></tbody></table></div><p id="more" hidden>${t('page.clientsCut')}</p></section>
<section id="tab-nodes" hidden><div class="scroll"><table><thead><tr><th>${t('page.name')}<th>${t('page.address')}<th>${t('page.status')}<th>${t('page.core')}<th>${t('page.processor')}<th>${t('page.memory')}<th>${t('page.enabled')}<th>${t('page.actions')}</thead>
<tbody id="nodes"></tbody></table></div>
<details><summary>${t('page.addNode')}</summary><form id="addNode" class="form"><label>${t('page.name')}<input name="name" required autocomplete="off"></label><label>${t('page.nodeUrl')}<input name="url" type="url" dir="ltr" placeholder="https://node.example.com:2053/" required></label>
<label>${t('page.nodeToken')}<input name="apiToken" type="password" autocomplete="off" required></label><label><input name="allowPrivateAddress" type="checkbox"> ${t('page.allowPrivateAddress')}</label><button>${t('page.add')}</button></form></details></section>
<section id="tab-backups" hidden><div class="cards"><div>${t('page.lastGoodBackup')}<b id="lastGood">–</b><small id="lastBackup" class="bad"></small></div><div>${t('page.nextBackup')}<b id="nextBackup">–</b></div></div>
<p class="row"><a href="panel/api/server/getDb">${t('page.downloadBackup')}</a></p>
<div class="scroll"><table><thead><tr><th>${t('page.file')}<th>${t('page.time')}<th class="number">${t('page.size')}</thead><tbody id="backups"></tbody></table></div>
<details><summary>${t('page.importBackup')}</summary><form id="importDb" class="form"><label>${t('page.importFile')}<input name="db" type="file" required></label>
<label>${t('page.importPassphrase')}<input name="passphrase" type="password" autocomplete="off" maxlength="1000"></label><button>${t('page.import')}</button></form></details></section>
<section id="tab-core" hidden><div class="row"><label>${t('page.version')}<select id="versions"></select></label><button id="install" type="button">${t('page.install')}</button>
${order('panel/api/server/updateGeofile', t('page.updateGeoFiles'))}</div><p id="versionsNote" role="status"></p>
<form id="templateForm"><label>${t('page.template')}<textarea id="template" dir="ltr" spellcheck="false" rows="16"></textarea></label>
<label>${t('page.outboundTestUrl')}<input id="testUrl" dir="ltr"></label><p class="row"><button>${t('page.save')}</button></p></form>
<h2>${t('page.coreOutput')}</h2><pre id="output" dir="ltr" tabindex="0"></pre></section>
<section id="tab-logs" hidden><form id="logForm" class="row"><label>${t('page.log')}<select name="source"><option value="logs">${t('page.panel')}</option><option value="corelogs">${t('page.core')}</option></select></label>
<label>${t('page.level')}<select name="level">${logLevels.map((level) => `<option${level === 'info' ? ' selected' : ''}>${level}</option>`).join('')}</select></label>
<label>${t('page.lines')}<input name="count" type="number" min="1" max="10000" value="100"></label><label>${t('page.search')}<input name="filter"></label><button>${t('page.show')}</button></form>
<p id="logNote" role="status"></p><pre id="log" dir="ltr" tabindex="0"></pre></section>
<section id="tab-settings" hidden><form id="settings" novalidate autocomplete="off">${settingFields(t)}<p class="row"><button>${t('page.save')}</button>
${order('panel/setting/restartPanel', t('page.restartPanel'), 'restartPanel')}${order('panel/api/server/updatePanel', t('page.updatePanel'))}</p></form>
<h2>${t('page.apiToken')}</h2><div class="row"><input id="apiToken" readonly dir="ltr" size="40" aria-label="${t('page.apiToken')}"><button id="showToken" type="button">${t('page.show')}</button><button id="newToken" type="button">${t('page.newToken')}</button></div></section>
<section id="tab-account" hidden><h2>${t('page.credentials')}</h2><form id="account" class="form">
<label>${t('page.currentUserName')}<input name="oldUsername" autocomplete="username" required></label><label>${t('page.currentPassword')}<input name="oldPassword" type="password" autocomplete="current-password" required></label>
<label>${t('page.newUserName')}<input name="newUsername" autocomplete="off" required></label><label>${t('page.newPassword')}<input name="newPassword" type="password" autocomplete="new-password" required></label><button>${t('page.save')}</button></form>
<h2>${t('page.twoFactorLogin')}</h2><button id="setUp" type="button" hidden>${t('page.setUp')}</button>
<form id="confirm" class="form" hidden><p>${t('page.scanCode')}</p><img id="qr" alt="${t('page.qrCode')}"><code id="secondToken" dir="ltr"></code>
<label>${t('page.twoFactorCode')}<input name="code" autocomplete="one-time-code" inputmode="numeric" required></label><button>${t('page.confirm')}</button></form>
<form id="switchOff" class="form" hidden><label>${t('page.twoFactorCode')}<input name="code" autocomplete="one-time-code" inputmode="numeric" required></label><button>${t('page.switchOff')}</button></form></section>
</main><dialog id="dialog" aria-labelledby="dialogTitle"><h2 id="dialogTitle"></h2><div id="dialogBody"></div><p><button id="dialogClose" type="button">${t('page.close')}</button></p></dialog>
<div id="toasts" role="status" aria-live="polite"></div>`;

/** A button that asks for confirmation and then posts. */
function order(path: string, label: string, id = ''): string {
  return `<button type="button"${id === '' ? '' : ` id="${id}"`} data-post="${path}">${label}</button>`;
}

function options(names: Readonly<Record<string, string>>, chosen: string): string {
  return Object.entries(names)
    .map(([value, name]) => `<option value="${value}"${value === chosen ? ' selected' : ''}>${name}</option>`)
    .join('');
}
