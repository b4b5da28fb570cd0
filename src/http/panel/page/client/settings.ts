/** The settings and the token of the API. */
export const SETTINGS = `const fields = () => [...$('settings').elements].filter(({ name }) => name);
const valueOf = (field) => field.type === 'checkbox' ? field.checked : field.value;
const changed = () => fields().filter((field) => String(valueOf(field)) !== (field.dataset.was || ''));
const flagOf = (name) => 'has' + name[0].toUpperCase() + name.slice(1);

async function readSettings() {
  if (changed().length === 0 || $('settings').dataset.filled !== 'yes') fill((await post('panel/setting/all')).obj);
}
function fill(settings) {
  for (const field of fields()) {
    const { name } = field;
    const value = settings[name];
    if (field.type === 'checkbox') field.checked = value === true;
    else field.value = Array.isArray(value) ? value.join(',') : value;
    field.dataset.was = String(valueOf(field)); // After what the field itself makes of it.
    hint(field, settings);
  }
  $('settings').dataset.filled = 'yes';
  complain([]);
}
function hint(field, settings) {
  const { name } = field;
  const outside = settings.environment[name];
  const parts = outside ? [say.overridden + ' ' + outside.variable + ' (' + outside.value + ')'] : [];
  if ('secret' in field.dataset) {
    const isSet = settings[flagOf(name)];
    parts.push(isSet ? say.set + ' ' : say.notSet);
    if (isSet) parts.push(button(say.takeAway, name, async () => {
      if (!confirm(name + ': ' + say.sure)) return;
      const { success } = await act('panel/setting/secret', { key: name, value: '' });
      if (success) hint(field, (await post('panel/setting/all')).obj);
    }));
  }
  $('h-' + name).replaceChildren(...parts);
}
/** Shows the problem of each field next to it. */
function complain(errors) {
  for (const field of fields()) {
    const wrong = errors.filter(({ key }) => key === field.name).map(({ why }) => why);
    field.setAttribute('aria-invalid', String(wrong.length > 0));
    $('e-' + field.name).textContent = wrong.join('; ');
  }
  const first = errors[0] && $('s-' + errors[0].key);
  if (first) first.focus();
}
onSubmit('settings', async () => {
  const asked = changed();
  if (asked.length === 0) { toast(say.unchanged, '', 'warning'); return; }
  const answer = await act('panel/setting/update', Object.fromEntries(asked.map((field) => [field.name, valueOf(field)])));
  complain((answer.obj && answer.obj.errors) || []);
  if (!answer.success) return;
  await renewToken();
  fill((await post('panel/setting/all')).obj);
});
loaders.settings = readSettings;
onClick('showToken', async () => { $('apiToken').value = (await get('panel/setting/getApiToken')).obj; });
onClick('newToken', async () => {
  if (!confirm(say.sure)) return;
  const { success, obj } = await act('panel/setting/regenerateApiToken');
  if (success) $('apiToken').value = obj;
});
`;
