/** Remote panels. */
export const NODES = `const nodeState = { online: say.online, offline: say.offline, unknown: say.unknown };
async function listNodes() {
  const answer = await get('panel/api/nodes/list');
  if (!answer.success) { toast(answer.msg, '', 'error'); return; }
  $('nodes').replaceChildren(...(answer.obj || []).map((node) => {
    const place = node.scheme + '://' + (node.host.includes(':') ? '[' + node.host + ']' : node.host) + ':' + node.port + node.basePath;
    const state = make('span', nodeState[node.status]);
    if (node.status === 'offline') state.className = 'bad';
    const percent = (value) => node.status === 'online' ? value.toFixed(0) + ' %' : '–';
    const waits = node.pendingChanges > 0 ? node.pendingChanges + ' ' + say.onTheWay : '';
    const notes = [node.lastError, waits, node.lastError === node.pendingReason ? '' : node.pendingReason];
    const note = notes.filter(Boolean).join(' · ');
    return row([node.name, place, [state, note ? make('small', ' ' + note) : ''], node.coreVersion || '–',
      percent(node.cpu), percent(node.mem), [nodeToggle(node)], nodeActions(node)], !node.enable);
  }));
}
function nodeToggle(node) {
  const box = make('input');
  box.type = 'checkbox';
  box.checked = node.enable;
  box.setAttribute('aria-label', node.name);
  box.addEventListener('change', () => busy(box, async () => {
    await act('panel/api/nodes/setEnable/' + node.id, { enable: box.checked });
    await listNodes();
  }));
  return box;
}
function nodeActions({ id, name }) {
  return [
    button(say.askNow, name, async () => {
      const { success, obj } = await act('panel/api/nodes/probe/' + id);
      if (success) toast(name + ': ' + nodeState[obj.status], obj.error, obj.status === 'online' ? 'success' : 'error');
      await listNodes();
    }),
    button(say.remove, name, async () => {
      if (!confirm(say.remove + ': ' + name + '. ' + say.sure)) return;
      await act('panel/api/nodes/del/' + id);
      await listNodes();
    }),
  ];
}
onSubmit('addNode', async ({ name, url, apiToken, allowPrivateAddress }) => {
  let at;
  try { at = new URL(url.value.trim()); } catch (error) { toast(say.noUrl, '', 'error'); return; }
  const scheme = at.protocol.slice(0, -1);
  const port = Number(at.port) || (scheme === 'http' ? 80 : 443);
  const node = { name: name.value, scheme, host: at.hostname, port, basePath: at.pathname, apiToken: apiToken.value, allowPrivateAddress: allowPrivateAddress.checked };
  const { success } = await act('panel/api/nodes/add', node);
  if (!success) return;
  $('addNode').reset();
  await listNodes();
});
loaders.nodes = listNodes;
setInterval(() => { if (current() === 'nodes' && !document.hidden) listNodes().catch(() => {}); }, 5000);
`;
