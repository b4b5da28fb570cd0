import { parseArgs } from 'node:util';
import { soak } from './soak.js';

// npm run soak -- --minutes 60 --seed 7: prints a line for each action and comparison, and the report as JSON at the end.
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string', default: String(Date.now() % 1e6) } },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0) || !Number.isInteger(seed))
  throw new Error('--minutes takes a number above 0, --seed a whole number');
// The panel and the cores stop with this process if it exits normally.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const say = (line: string): void => void process.stdout.write(`${new Date().toISOString()} ${line}\n`);
say(`seed ${seed}, ${minutes} minutes`);
const report = await soak({ minutes, seed, log: say });
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exit(report.failures.length === 0 ? 0 : 1);
