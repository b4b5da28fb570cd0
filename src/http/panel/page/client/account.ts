/** The name, password and two-factor login of the current admin. */
export const ACCOUNT = `async function readAccount() {
  const on = (await post('getTwoFactorEnable')).obj === true;
  $('setUp').hidden = on || !$('confirm').hidden;
  $('switchOff').hidden = !on;
  if (on) $('confirm').hidden = true;
}
loaders.account = readAccount;
onSubmit('account', async () => {
  const answer = await act('panel/setting/updateUser', Object.fromEntries(new FormData($('account'))));
  if (!answer.success) return;
  $('account').reset();
  await renewToken();
});
/** Requests a change of two-factor login. A request without a code returns a token that must be confirmed. */
async function second(change) {
  const answer = await act('panel/setting/update', change);
  if (answer.success) await renewToken();
  return answer;
}
onClick('setUp', async () => {
  const { success, obj } = await second({ twoFactorEnable: true });
  if (!success || !obj || !obj.qr) return readAccount(); // On already, from elsewhere.
  $('qr').src = 'data:image/svg+xml,' + encodeURIComponent(obj.qr);
  $('secondToken').textContent = obj.twoFactorToken;
  $('confirm').hidden = false;
  await readAccount();
  $('confirm').elements.code.focus();
});
onSubmit('confirm', async ({ code }) => {
  const change = { twoFactorEnable: true, twoFactorToken: $('secondToken').textContent, twoFactorCode: code.value };
  if (!(await second(change)).success) return;
  $('confirm').reset();
  $('secondToken').textContent = '';
  $('qr').removeAttribute('src');
  await readAccount();
});
onSubmit('switchOff', async ({ code }) => {
  if (!(await second({ twoFactorEnable: false, twoFactorCode: code.value })).success) return;
  $('switchOff').reset();
  await readAccount();
});
`;
