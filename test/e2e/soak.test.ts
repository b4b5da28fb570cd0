import { describe, expect, it } from 'vitest';
import { withoutCore } from '../kit/real/core-process.js';
import { withoutRight } from '../kit/real/rights.js';
import { soak } from '../soak/soak.js';

const SUITE = 'half a minute of random changes';

describe.skipIf(withoutCore(SUITE) || withoutRight(SUITE))(SUITE, () => {
  it('leaves the traffic of the clients, the core, the log, the counters and the statements in agreement', async () => {
    const { failures, compared, connections } = await soak({ minutes: 0.5, seed: 11, every: 10_000 });
    expect(failures).toStrictEqual([]);
    expect(compared.rounds).toBeGreaterThan(1);
    expect(compared.statements).toBeGreaterThan(0);
    expect(connections.complete).toBeGreaterThan(0);
  });
});
