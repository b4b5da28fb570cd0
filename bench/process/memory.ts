import { proc, sharedPanel } from '../kit/live.js';
import type { Bench } from '../kit/row.js';

/** Resident memory of the panel process after the previous benchmarks. */
export const memory: Bench = async ({ quick }) => {
  const panel = await sharedPanel(quick ? 2500 : 25_000);
  return [
    {
      name: 'memory: resident',
      measured: proc.rss(panel.process.pid),
      unit: 'MB',
      target: { most: 250 },
      note: `${panel.clients} clients, after the edits, lists and subscriptions of this run`,
    },
  ];
};
