import { describe, expect, it } from 'vitest';
import { ProcHostMonitor } from '../../src/adapters/host-monitor.js';

describe('the host monitor', () => {
  it.runIf(process.platform === 'linux')('reads the machine', async () => {
    const monitor = new ProcHostMonitor('/tmp');
    monitor.start();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const reading = monitor.sample();
    monitor.stop();
    expect(monitor.latest).toBe(reading);
    for (const { current, total } of [reading.mem, reading.disk]) {
      expect(current).toBeGreaterThan(0);
      expect(current).toBeLessThanOrEqual(total);
    }
    expect(reading.cpu).toBeGreaterThanOrEqual(0);
    expect(reading.cpu).toBeLessThanOrEqual(100);
    expect(reading.logicalPro).toBeGreaterThan(0);
    expect(reading.uptime).toBeGreaterThan(0);
    expect(reading.appStats.threads).toBeGreaterThan(1);
    expect(JSON.stringify(reading)).not.toContain('null');
  });

  it('reads what is not there as nothing', () => {
    const monitor = new ProcHostMonitor('/nowhere');
    expect(monitor.sample().disk).toEqual({ current: 0, total: 0 });
    monitor.stop();
  });
});
