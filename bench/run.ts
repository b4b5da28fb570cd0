// npm run bench: prints one table. `--only a,b` runs some, `--quick` shrinks sizes, `--json` is for machines.
import { cpus, totalmem } from 'node:os';
import { endShared } from './kit/live.js';
import { type Bench, type Evaluated, evaluated, table } from './kit/row.js';
import { append } from './log/append.js';
import { growth } from './log/growth.js';
import { outbox } from './log/outbox.js';
import { past } from './log/past.js';
import { proof } from './log/proof.js';
import { replay } from './log/replay.js';
import { snapshots } from './log/snapshots.js';
import { backup } from './process/backup.js';
import { cluster } from './process/cluster.js';
import { idle } from './process/idle.js';
import { imports } from './process/import.js';
import { limits } from './process/limits.js';
import { loop } from './process/loop.js';
import { memory } from './process/memory.js';
import { scale } from './process/scale.js';
import { start } from './process/start.js';
import { bulk } from './requests/bulk.js';
import { edits } from './requests/edits.js';
import { followers } from './requests/followers.js';
import { logins } from './requests/logins.js';
import { nodeFleet } from './requests/node-fleet.js';
import { nodes } from './requests/nodes.js';
import { reads } from './requests/reads.js';
import { settings } from './requests/settings.js';
import { sockets } from './requests/sockets.js';
import { statement } from './requests/statement.js';
import { status } from './requests/status.js';
import { sub } from './requests/sub.js';
import { web } from './requests/web.js';
import { webhooks } from './requests/webhooks.js';

const benches: Readonly<Record<string, Bench>> = {
  append,
  bulk,
  replay,
  snapshots,
  start,
  edits,
  sub,
  followers,
  status,
  limits,
  logins,
  memory,
  reads,
  sockets,
  settings,
  nodes,
  'node-fleet': nodeFleet,
  outbox,
  past,
  proof,
  webhooks,
  import: imports,
  backup,
  statement,
  idle,
  growth,
  web,
  loop,
  scale,
  cluster,
};

const flags = process.argv.slice(2);
const quick = flags.includes('--quick');
const json = flags.includes('--json');
const only = flags
  .flatMap((flag, i) =>
    flag === '--only' ? (flags[i + 1] ?? '').split(',') : flag.startsWith('--only=') ? flag.slice(7).split(',') : [],
  )
  .filter(Boolean);
const unknown = only.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`unknown benchmarks: ${unknown.join(', ')}; available: ${Object.keys(benches).join(', ')}`);
  process.exit(2);
}

// Started processes end with this process, in its exit handlers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const rows: Evaluated[] = [];
const failures: { readonly name: string; readonly error: string }[] = [];
for (const [name, bench] of Object.entries(benches)) {
  if (only.length > 0 && !only.includes(name)) continue;
  const start = performance.now();
  try {
    for (const row of await bench({ quick })) rows.push(evaluated(row));
  } catch (error) {
    failures.push({ name, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  if (!json) console.error(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

await endShared();

const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model ?? '', memory: totalmem() };
if (json) console.log(JSON.stringify({ machine, quick, rows, failures }, null, 2));
else {
  console.log(
    `\n${machine.cpus} × ${machine.model}, node ${machine.node}${quick ? ', quick: not for comparisons' : ''}\n`,
  );
  console.log(table(rows));
  for (const { name, error } of failures) console.log(`\n${name} could not be measured: ${error}`);
}
// A missed target is reported but does not fail the run; a benchmark that throws does.
process.exitCode = failures.length > 0 ? 1 : 0;
