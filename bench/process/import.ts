import { join } from 'node:path';
import type { ImportReport } from '../../src/commands/import/plan.js';
import { cli } from '../../test/kit/real/panel-process.js';
import { makeXui, xuiClient, xuiInbound, xuiStats } from '../../test/kit/xui-database.js';
import { newFolder, removeFolder } from '../kit/inside.js';
import type { Bench } from '../kit/row.js';

const INBOUNDS = 10;

/**
 * Imports a 3x-ui database with 10,000 clients by the command line: read, copied, checked, sealed and stored as a whole log
 * by a separate process, and switched into place.
 */
export const imports: Bench = async ({ quick }) => {
  const clients = quick ? 1000 : 10_000;
  const folder = newFolder();
  const file = join(folder, 'x-ui.db');
  const numbers = Array.from({ length: clients }, (_, index) => index + 1);
  makeXui(file, {
    users: [{ id: 1, username: 'root', password: `$2a$10$${'a'.repeat(53)}` }],
    inbounds: Array.from({ length: INBOUNDS }, (_, index) =>
      xuiInbound(index + 1, {
        clients: numbers.filter((n) => n % INBOUNDS === index).map((n) => xuiClient(n, { totalGB: 2 ** 40 })),
      }),
    ),
    client_traffics: numbers.map((n) =>
      xuiStats(n, (n % INBOUNDS) + 1, `user${n}`, { up: n, down: 2 * n, total: 2 ** 40, last_online: 1.7e12 }),
    ),
    inbound_client_ips: numbers.map((n) => ({ id: n, client_email: `user${n}`, ips: '["203.0.113.7"]' })),
  });
  const started = performance.now();
  const done = await cli(['--json', 'import', '3x-ui', file], join(folder, 'data'), { timeoutMs: 300_000 });
  if (done.code !== 0) throw new Error(`portolan import: ${done.stderr}`);
  const report = JSON.parse(done.stdout) as ImportReport;
  const seconds = (performance.now() - started) / 1000;
  removeFolder(folder);
  const note = `${report.totals.after.clients} clients, each with counters and an address`;
  return [{ name: `import: ${clients} clients of 3x-ui`, measured: seconds, unit: 's', target: { most: 10 }, note }];
};
