/** Backups and their import. */
export const BACKUPS = `async function listBackups() {
  const answer = await get('panel/api/server/backups');
  if (!answer.success) { toast(answer.msg, '', 'error'); return; }
  const { last, lastGood, next, late, files } = answer.obj;
  $('lastGood').textContent = lastGood ? time(lastGood.at) + ', ' + bytes(lastGood.bytes) : say.none;
  $('lastGood').className = late ? 'bad' : '';
  $('lastBackup').textContent = last && last.why !== null ? time(last.at) + ': ' + last.why : '';
  $('nextBackup').textContent = next === null ? say.none : time(next);
  $('backups').replaceChildren(...files.map((file) => row([file.name, time(file.at), file.bytes])));
}
onSubmit('importDb', async ({ db, passphrase }) => {
  if (!confirm(say.replace + ' ' + say.sure)) return;
  const body = new FormData();
  if (passphrase.value !== '') body.append('passphrase', passphrase.value);
  body.append('db', db.files[0]);
  const headers = { 'X-Requested-With': 'XMLHttpRequest', 'X-CSRF-Token': token };
  const answer = await (await fetch('panel/api/server/importDB', { method: 'POST', headers, body })).json();
  if (!answer.success) { toast(answer.msg, '', 'error'); return; }
  toast(answer.obj, answer.msg, 'success');
  $('importDb').reset();
});
loaders.backups = listBackups;
`;
