import type { Say } from './words.js';

/** The login form: all that an unauthenticated visitor sees. */
export const loginMarkup = (t: Say): string => `<form id="login"><h1>${t('page.signIn')}</h1>
<label>${t('page.userName')}<input name="username" autocomplete="username" required autofocus></label>
<label>${t('page.password')}<input name="password" type="password" autocomplete="current-password" required></label>
<label id="second" hidden>${t('page.twoFactorCode')}<input name="twoFactorCode" autocomplete="one-time-code" inputmode="numeric" maxlength="16"></label>
<button>${t('page.signIn')}</button><p id="error" role="alert"></p></form>`;

/** Asks whether a second factor is needed, and logs in. */
export const LOGIN_SCRIPT = `const $ = (id) => document.getElementById(id);
async function post(path, body) {
  const headers = { 'X-Requested-With': 'XMLHttpRequest', 'Content-Type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}
async function askSecond() {
  const needed = (await post('getTwoFactorEnable', {})).obj === true;
  $('second').hidden = !needed;
  $('second').querySelector('input').required = needed;
}
$('login').addEventListener('submit', async (event) => {
  event.preventDefault();
  $('error').textContent = '';
  try {
    const answer = await post('login', Object.fromEntries(new FormData($('login'))));
    if (answer.success) { location.reload(); return; }
    $('error').textContent = answer.msg;
    await askSecond();
  } catch (error) {
    $('error').textContent = document.body.dataset.silent;
  }
});
askSecond().catch(() => { $('error').textContent = document.body.dataset.silent; });`;
