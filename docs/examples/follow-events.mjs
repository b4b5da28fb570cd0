// Follows the event feed of a panel and prints the traffic of each client. Needs Node 20 and no packages.
//
//   PORTOLAN_URL=https://panel.example.com/base PORTOLAN_TOKEN=… node follow-events.mjs [--file FILE] [--once]
//
// FILE stores the cursor and the sums; the next run continues from there. It is replaced atomically, so a crash neither
// loses nor doubles a byte. With --once it exits when it has read all events.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const url = (process.env.PORTOLAN_URL ?? '').replace(/\/+$/, '');
const token = process.env.PORTOLAN_TOKEN ?? '';
const args = process.argv.slice(2);
const once = args.includes('--once');
const file = args.includes('--file') ? args[args.indexOf('--file') + 1] : 'follow-events.json';

/** The requested event types: traffic, and events with the email of a client. */
const TYPES = 'TrafficRecorded,NodeTrafficRecorded,ClientAdded,ClientIdentityChanged';

/** @typedef {{ up: number, down: number, email?: string }} Usage */
const nothing = () => ({ cursor: '0', /** @type {Record<string, Usage>} */ clients: {} });

async function load() {
  try {
    const state = JSON.parse(await readFile(file, 'utf8'));
    // A file of an earlier release has a position without the hash: count everything again.
    return typeof state.cursor === 'string' ? state : nothing();
  } catch (error) {
    if (error.code === 'ENOENT') return nothing();
    throw error;
  }
}

async function save(state) {
  await writeFile(`${file}.new`, JSON.stringify(state));
  await rename(`${file}.new`, file);
}

/** One page of events, or an error message. */
async function ask({ cursor }) {
  const query = new URLSearchParams({ after: cursor, types: TYPES, wait: once ? 0 : 50 });
  const response = await fetch(`${url}/panel/api/events?${query}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(90_000),
  });
  // Without a valid token the panel answers as if this address did not exist.
  if (response.status !== 200) throw new Error(`HTTP ${response.status}: is the address right, and the token?`);
  return response.json();
}

function count({ clients }, { data, emails = {} }) {
  const usage = (client) => (clients[client] ??= { up: 0, down: 0 });
  // [client number, bytes up, bytes down, …]: the traffic since the previous event.
  for (const [client, up, down] of data.clients ?? []) {
    usage(client).up += up;
    usage(client).down += down;
  }
  for (const [client, email] of Object.entries(emails)) usage(client).email = email;
}

function print({ cursor, clients }) {
  console.log(`up to event ${cursor.split('.')[0]}:`);
  for (const [client, { up, down, email }] of Object.entries(clients))
    console.log(`  ${email ?? `client ${client}, which is gone`}: ${up} bytes up, ${down} bytes down`);
}

let state = await load();
for (let tries = 0; ; ) {
  try {
    const { success, msg, obj } = await ask(state);
    if (!success) {
      // The log has another history than before: count its events from the first one.
      if (state.cursor === '0') throw new Error(msg);
      console.error(msg);
      state = nothing();
      continue;
    }
    tries = 0;
    for (const event of obj.events) count(state, event);
    state = { ...state, cursor: obj.cursor };
    await save(state);
    if (obj.events.length > 0) print(state);
    if (once && obj.next >= obj.head) break;
  } catch (error) {
    if (once) throw error;
    tries += 1;
    console.error(String(error));
    await pause(Math.min(60, 2 ** tries) * 1000);
  }
}
