/** The entry point of the page: status, tabs and WebSocket. */
export const START = `let socket = null;
let lost = false;
function status({ core, cpu, mem, netIO }) {
  $('core').textContent = core.state + (core.state === 'running' ? ' ' + core.version : '');
  $('coreError').textContent = core.errorMsg;
  $('cpu').textContent = cpu.toFixed(1) + ' %';
  $('mem').textContent = bytes(mem.current) + ' / ' + bytes(mem.total);
  $('net').textContent = '↑ ' + bytes(netIO.up) + '/s ↓ ' + bytes(netIO.down) + '/s';
}
loaders.status = async () => status((await get('panel/api/server/status')).obj);

const current = () => {
  const name = location.hash.slice(2);
  return Object.hasOwn(loaders, name) ? name : 'status';
};
const load = () => loaders[current()]();
function turn() {
  const name = current();
  for (const section of document.querySelectorAll('main > section')) section.hidden = section.id !== 'tab-' + name;
  for (const link of document.querySelectorAll('nav a')) {
    if (link.hash === '#/' + name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  load().catch(failed);
}
/** The lists that must be fetched again after a change of each resource. */
const stale = { nodes: ['nodes'], inbounds: ['inbounds', 'clients'], core: ['core'], settings: ['settings', 'account'], users: ['account'] };
function hear(message) {
  if (message.type === 'status') status(message.data);
  if (message.type === 'notification') toast(message.title, message.body, message.severity);
  if (message.type === 'xrayState') loaders.status().catch(() => {});
  if (message.type === 'invalidate' && (stale[message.resource] || []).includes(current())) load().catch(() => {});
}
function follow() {
  socket = new WebSocket(new URL('ws', location.href).href.replace(/^http/, 'ws'));
  socket.addEventListener('message', ({ data }) => hear(JSON.parse(data)));
  socket.addEventListener('close', () => setTimeout(again, 3000));
}
/** After a restart of the panel, or the end of the session: that shows the login again. */
async function again() {
  try {
    await renewToken();
    await loaders.status();
    await load();
    lost = false;
    follow();
  } catch (error) {
    if (!lost) failed();
    lost = true;
    setTimeout(again, 3000);
  }
}
document.addEventListener('click', ({ target }) => {
  const pressed = target.closest('[data-post]');
  if (pressed && confirm(pressed.textContent + ': ' + say.sure)) busy(pressed, () => act(pressed.dataset.post));
});
onClick('logout', async () => { await act('logout'); location.assign('./'); });
$('language').addEventListener('change', ({ target }) => {
  document.cookie = 'lang=' + target.value + '; path=' + location.pathname + '; max-age=31536000; samesite=lax';
  location.reload();
});
addEventListener('hashchange', turn);
setInterval(() => { if (stale.inbounds.includes(current()) && !document.hidden) list().catch(() => {}); }, 15000);
renewToken().then(() => { turn(); follow(); }, () => { failed(); setTimeout(again, 3000); });`;
