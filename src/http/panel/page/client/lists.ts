/** Inbounds and clients. */
export const LISTS = `const MAX_ROWS = 500;
let inbounds = [];
function toggle(inbound) {
  const box = make('input');
  box.type = 'checkbox';
  box.checked = inbound.enable;
  box.setAttribute('aria-label', inbound.remark);
  box.addEventListener('change', () => busy(box, async () => {
    await act('panel/api/inbounds/setEnable/' + inbound.id, { enable: box.checked });
    await list();
  }));
  return box;
}
function removal(inbound) {
  return button(say.remove, inbound.remark, async () => {
    if (!confirm(say.remove + ': ' + inbound.remark + '. ' + say.sure)) return;
    await act('panel/api/inbounds/del/' + inbound.id);
    await list();
  });
}
async function list() {
  const answer = await get('panel/api/inbounds/list');
  if (!answer.success) { toast(answer.msg, '', 'error'); return; }
  inbounds = answer.obj || [];
  $('inbounds').replaceChildren(...inbounds.map((one) =>
    row([one.remark, one.protocol, String(one.port), one.up, one.down, [toggle(one)], [removal(one)]], !one.enable)));
  listClients();
}
function listClients() {
  const wanted = $('search').value.trim().toLowerCase();
  const clients = inbounds.flatMap((one) => (one.clientStats || []).map((client) => [client, one]))
    .filter(([{ email }]) => email.toLowerCase().includes(wanted));
  $('clients').replaceChildren(...clients.slice(0, MAX_ROWS).map(([client, inbound]) => row([client.email, inbound.remark, client.up, client.down,
    client.total > 0 ? client.total : Infinity, client.expiryTime > 0 ? time(client.expiryTime) : '–', actions(client, inbound)], client.enable === false)));
  $('more').hidden = clients.length <= MAX_ROWS;
}
function actions({ email }, inbound) {
  const of = inbound.id + '/';
  const name = encodeURIComponent(email);
  return [
    button(say.reset, email, async () => {
      if (!confirm(say.reset + ': ' + email + '. ' + say.sure)) return;
      await act('panel/api/inbounds/' + of + 'resetClientTraffic/' + name);
      await list();
    }),
    button(say.copy, email, async () => {
      const answer = await get('panel/api/inbounds/getClientLinks/' + of + name);
      if (!answer.success) { toast(answer.msg, '', 'error'); return; }
      const text = answer.obj.join('\\n');
      try {
        await navigator.clipboard.writeText(text);
        toast(say.copied, '', 'success');
      } catch (error) {
        show(say.links, [make('pre', text)]); // Without TLS a page has no clipboard.
      }
    }),
    button(say.why, email, async () => {
      const answer = await get('panel/api/clients/' + name + '/why');
      if (answer.success) explain(answer.obj);
      else toast(answer.msg, '', 'error');
    }),
  ];
}
function explain(why) {
  const list = (items) => make('ul', '', items.map((item) => make('li', item)));
  const since = why.since ? ' (' + time(why.since.at) + ', ' + why.since.by + ')' : '';
  show(why.email, [
    make('p', (why.mayConnect ? say.mayConnect : say.mayNot) + ': ' + why.status + since),
    make('p', why.rule),
    ...why.also.map((other) => make('p', other.status + ': ' + other.rule)),
    ...(why.remedies.length > 0 ? [make('h3', say.remedies), list([why, ...why.also].flatMap((one) => one.remedies))] : []),
    make('h3', say.story),
    list(why.story.map(({ at, what, by }) => time(at) + ' – ' + what + ' (' + by + ')')),
  ]);
}
$('search').addEventListener('input', listClients);
onSubmit('addInbound', async () => {
  let inbound;
  try { inbound = JSON.parse($('newInbound').value); } catch (error) { toast(say.notJson, error.message, 'error'); return; }
  const { success } = await act('panel/api/inbounds/add', inbound);
  if (!success) return;
  $('newInbound').value = '';
  await list();
});
loaders.inbounds = list;
loaders.clients = list;
`;
