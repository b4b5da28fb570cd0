/** The core and the logs. */
export const CORE = `let template = '';
async function versions() {
  $('versionsNote').textContent = '';
  const answer = await get('panel/api/server/getCoreVersion');
  $('versions').replaceChildren(...(answer.obj || []).map((version) => make('option', version)));
  $('versionsNote').textContent = answer.msg;
}
async function readTemplate() {
  if ($('template').value !== template) return; // Somebody is in the middle of it.
  const { obj } = await post('panel/core/');
  const read = typeof obj === 'string' ? JSON.parse(obj) : obj;
  $('template').value = read.coreSetting || JSON.stringify(read.xraySetting, null, 2);
  template = $('template').value;
  $('testUrl').value = read.outboundTestUrl;
}
async function readOutput() {
  const { obj } = await get('panel/core/getCoreResult');
  $('output').textContent = obj;
}
loaders.core = () => Promise.all([readTemplate(), readOutput(), $('versions').length > 0 || versions()]);
onClick('install', async () => {
  const version = $('versions').value;
  if (version && confirm(version + ': ' + say.sure)) await act('panel/api/server/installCore/' + version);
});
onSubmit('templateForm', async () => {
  const body = { coreSetting: $('template').value, outboundTestUrl: $('testUrl').value };
  try { JSON.parse(body.coreSetting); } catch (error) { toast(say.notJson, error.message, 'error'); return; }
  const { success } = await act('panel/core/update', body);
  if (!success) return;
  template = $('template').value;
  await readTemplate();
  await readOutput();
});
async function readLog() {
  const { source, level, count, filter } = Object.fromEntries(new FormData($('logForm')));
  const answer = await post('panel/api/server/' + source + '/' + count, source === 'logs' ? { level } : { filter });
  const lines = Array.isArray(answer.obj) ? answer.obj.map((line) => typeof line === 'string' ? line : Object.values(line).join(' ')) : [answer.obj || ''];
  const wanted = source === 'logs' ? filter.toLowerCase() : '';
  $('log').textContent = lines.join('\\n').split('\\n').filter((line) => line.toLowerCase().includes(wanted)).join('\\n');
  $('logNote').textContent = answer.msg;
  $('log').scrollTop = $('log').scrollHeight;
}
loaders.logs = readLog;
onSubmit('logForm', readLog);
$('logForm').elements.source.addEventListener('change', ({ target }) => {
  $('logForm').elements.level.disabled = target.value !== 'logs';
  readLog().catch(failed);
});
`;
