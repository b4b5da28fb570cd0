/** Functions that the other scripts share. Data from the panel is always inserted as text, never as markup. */
export const BASE = `const $ = (id) => document.getElementById(id);
const say = JSON.parse(document.body.dataset.words);
const loaders = {};
let token = '';

async function call(method, path, body) {
  const headers = { 'X-Requested-With': 'XMLHttpRequest', 'X-CSRF-Token': token };
  if (body) headers['Content-Type'] = 'application/json';
  const response = await fetch(path, { method, headers, body: body ? JSON.stringify(body) : undefined });
  if (response.status === 401) location.assign('./');
  return response.json();
}
const get = (path) => call('GET', path);
const post = (path, body) => call('POST', path, body || {});
/** Each session has its own token. */
async function renewToken() { token = (await get('csrf-token')).obj; }
const failed = () => toast(say.silent, '', 'error');

/** Posts a request and shows the message of the response. */
async function act(path, body) {
  try {
    const answer = await post(path, body);
    if (answer.msg) toast(answer.msg, '', answer.success ? 'success' : 'error');
    return answer;
  } catch (error) {
    failed();
    return { success: false, obj: null };
  }
}

function make(tag, text, children) {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  if (children) element.append(...children);
  return element;
}
function button(text, label, work) {
  const element = make('button', text);
  element.type = 'button';
  element.setAttribute('aria-label', text + ' ' + label);
  element.addEventListener('click', () => busy(element, work));
  return element;
}
/** The button is disabled until the request is complete. */
async function busy(element, work) {
  element.disabled = true;
  try { await work(); } catch (error) { failed(); } finally { element.disabled = false; }
}
const onClick = (id, work) => $(id).addEventListener('click', () => busy($(id), work));
function onSubmit(id, work) {
  $(id).addEventListener('submit', (event) => {
    event.preventDefault();
    busy($(id).querySelector('button:not([type])'), () => work($(id).elements));
  });
}
function toast(title, body, severity) {
  const note = make('p', '', [make('b', title), body || '']);
  note.className = severity;
  $('toasts').append(note);
  while ($('toasts').children.length > 5) $('toasts').firstChild.remove();
  setTimeout(() => note.remove(), 10000);
}
function show(title, nodes) {
  $('dialogTitle').textContent = title;
  $('dialogBody').replaceChildren(...nodes);
  $('dialog').showModal();
}
onClick('dialogClose', () => $('dialog').close());

function bytes(count) {
  if (count === Infinity) return '∞';
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  for (; count >= 1024 && unit < 4; unit += 1) count /= 1024;
  return count.toFixed(unit === 0 ? 0 : 1) + ' ' + units[unit];
}
const time = (ms) => new Date(ms).toLocaleString(document.documentElement.lang);
function row(cells, off) {
  const line = make('tr');
  if (off) line.className = 'off';
  for (const cell of cells) {
    const field = make('td');
    if (Array.isArray(cell)) field.append(...cell);
    else if (typeof cell === 'number') { field.className = 'number'; field.textContent = bytes(cell); }
    else field.textContent = cell;
    line.append(field);
  }
  return line;
}
`;
