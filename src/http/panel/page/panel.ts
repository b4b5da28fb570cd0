import { logLevels } from '../../../commands/ports/logs.js';
import { type Language, languageNames } from '../../../messages/language.js';
import { settingFields } from './fields.js';
import type { Say } from './words.js';

/** What is behind the login: a section for each tab, and no data in any. */
export const panelMarkup = (t: Say, language: Language): string => `<main id="panel"><header><h1>${t('Panel')}</h1>
<select id="language" aria-label="${t('Language')}">${options(languageNames, language)}</select>
<a href="panel/api-docs">${t('API documents')}</a><button id="logout" type="button">${t('Sign out')}</button></header>
<nav aria-label="${t('Sections')}"><a href="#/status">${t('Status')}</a><a href="#/inbounds">${t('Inbounds')}</a><a href="#/clients">${t('Clients')}</a><a href="#/nodes">${t('Nodes')}</a><a href="#/backups">${t('Backups')}</a><a href="#/core">${t('Core')}</a><a href="#/logs">${t('Logs')}</a><a href="#/settings">${t('Settings')}</a><a href="#/account">${t('Account')}</a></nav>
<section id="tab-status"><div class="cards" aria-live="off"><div>${t('Core')}<b id="core">–</b><small id="coreError" class="bad"></small></div><div>${t('Processor')}<b id="cpu">–</b></div>
<div>${t('Memory')}<b id="mem">–</b></div><div>${t('Network')}<b id="net">–</b></div></div>
<p class="row">${order('panel/api/server/restartCoreService', t('Restart the core'), 'restartCore')}${order('panel/api/server/stopCoreService', t('Stop the core'), 'stopCore')}</p></section>
<section id="tab-inbounds" hidden><div class="scroll"><table><thead><tr><th>${t('Remark')}<th>${t('Protocol')}<th>${t('Port')}<th class="number">${t('Up')}<th class="number">${t('Down')}<th>${t('Enabled')}<th>${t('Actions')}</thead>
<tbody id="inbounds"></tbody></table></div>
<details><summary>${t('Add an inbound')}</summary><form id="addInbound"><label>${t('The inbound as JSON')}<textarea id="newInbound" dir="ltr" spellcheck="false" required></textarea></label>
<p class="row"><button>${t('Add')}</button></p></form></details></section>
<section id="tab-clients" hidden><div class="row"><label>${t('Search')}<input id="search" type="search"></label></div>
<div class="scroll"><table><thead><tr><th>${t('Email')}<th>${t('Inbound')}<th class="number">${t('Up')}<th class="number">${t('Down')}<th class="number">${t('Cap')}<th>${t('Expires')}<th>${t('Actions')}</thead>
<tbody id="clients"></tbody></table></div><p id="more" hidden>${t('Not all clients are shown.')}</p></section>
<section id="tab-nodes" hidden><div class="scroll"><table><thead><tr><th>${t('Name')}<th>${t('Address')}<th>${t('Status')}<th>${t('Core')}<th>${t('Processor')}<th>${t('Memory')}<th>${t('Enabled')}<th>${t('Actions')}</thead>
<tbody id="nodes"></tbody></table></div>
<details><summary>${t('Add a node')}</summary><form id="addNode" class="form"><label>${t('Name')}<input name="name" required autocomplete="off"></label><label>${t('Address of its panel, with port and base path')}<input name="url" type="url" dir="ltr" placeholder="https://node.example.com:2053/" required></label>
<label>${t('Its API token')}<input name="apiToken" type="password" autocomplete="off" required></label><label><input name="allowPrivateAddress" type="checkbox"> ${t('The address may be a private one')}</label><button>${t('Add')}</button></form></details></section>
<section id="tab-backups" hidden><div class="cards"><div>${t('Last good backup')}<b id="lastGood">–</b><small id="lastBackup" class="bad"></small></div><div>${t('Next backup')}<b id="nextBackup">–</b></div></div>
<p class="row"><a href="panel/api/server/getDb">${t('Download a backup of now')}</a></p>
<div class="scroll"><table><thead><tr><th>${t('File')}<th>${t('Time')}<th class="number">${t('Size')}</thead><tbody id="backups"></tbody></table></div>
<details><summary>${t('Import a backup')}</summary><form id="importDb" class="form"><label>${t('Backup of a panel, or database of 3x-ui')}<input name="db" type="file" required></label>
<label>${t('Passphrase of the backup, if it has one')}<input name="passphrase" type="password" autocomplete="off" maxlength="1000"></label><button>${t('Import')}</button></form></details></section>
<section id="tab-core" hidden><div class="row"><label>${t('Version')}<select id="versions"></select></label><button id="install" type="button">${t('Install')}</button>
${order('panel/api/server/updateGeofile', t('Update the geo files'))}</div><p id="versionsNote" role="status"></p>
<form id="templateForm"><label>${t('Template')}<textarea id="template" dir="ltr" spellcheck="false" rows="16"></textarea></label>
<label>${t('Address that outbound tests ask')}<input id="testUrl" dir="ltr"></label><p class="row"><button>${t('Save')}</button></p></form>
<h2>${t('Output of the core')}</h2><pre id="output" dir="ltr" tabindex="0"></pre></section>
<section id="tab-logs" hidden><form id="logForm" class="row"><label>${t('Log')}<select name="source"><option value="logs">${t('Panel')}</option><option value="corelogs">${t('Core')}</option></select></label>
<label>${t('Level')}<select name="level">${logLevels.map((level) => `<option${level === 'info' ? ' selected' : ''}>${level}</option>`).join('')}</select></label>
<label>${t('Lines')}<input name="count" type="number" min="1" max="10000" value="100"></label><label>${t('Search')}<input name="filter"></label><button>${t('Show')}</button></form>
<p id="logNote" role="status"></p><pre id="log" dir="ltr" tabindex="0"></pre></section>
<section id="tab-settings" hidden><form id="settings" novalidate autocomplete="off">${settingFields(t)}<p class="row"><button>${t('Save')}</button>
${order('panel/setting/restartPanel', t('Restart the panel'), 'restartPanel')}${order('panel/api/server/updatePanel', t('Update the panel'))}</p></form>
<h2>${t('API token')}</h2><div class="row"><input id="apiToken" readonly dir="ltr" size="40" aria-label="${t('API token')}"><button id="showToken" type="button">${t('Show')}</button><button id="newToken" type="button">${t('Make a new one')}</button></div></section>
<section id="tab-account" hidden><h2>${t('User name and password')}</h2><form id="account" class="form">
<label>${t('Current user name')}<input name="oldUsername" autocomplete="username" required></label><label>${t('Current password')}<input name="oldPassword" type="password" autocomplete="current-password" required></label>
<label>${t('New user name')}<input name="newUsername" autocomplete="off" required></label><label>${t('New password')}<input name="newPassword" type="password" autocomplete="new-password" required></label><button>${t('Save')}</button></form>
<h2>${t('Two-factor login')}</h2><button id="setUp" type="button" hidden>${t('Set up')}</button>
<form id="confirm" class="form" hidden><p>${t('Scan this with an app, or type the token into it. Then confirm with a code.')}</p><img id="qr" alt="${t('QR code of the token')}"><code id="secondToken" dir="ltr"></code>
<label>${t('Two-factor code')}<input name="code" autocomplete="one-time-code" inputmode="numeric" required></label><button>${t('Confirm')}</button></form>
<form id="switchOff" class="form" hidden><label>${t('Two-factor code')}<input name="code" autocomplete="one-time-code" inputmode="numeric" required></label><button>${t('Switch off')}</button></form></section>
</main><dialog id="dialog" aria-labelledby="dialogTitle"><h2 id="dialogTitle"></h2><div id="dialogBody"></div><p><button id="dialogClose" type="button">${t('Close')}</button></p></dialog>
<div id="toasts" role="status" aria-live="polite"></div>`;

/** A button that asks whether one is sure, and posts. */
function order(path: string, label: string, id = ''): string {
  return `<button type="button"${id === '' ? '' : ` id="${id}"`} data-post="${path}">${label}</button>`;
}

function options(names: Readonly<Record<string, string>>, chosen: string): string {
  return Object.entries(names)
    .map(([value, name]) => `<option value="${value}"${value === chosen ? ' selected' : ''}>${name}</option>`)
    .join('');
}
