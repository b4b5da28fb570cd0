import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { metricsFor } from '../../../../src/adapters/core/process/metrics-port.js';
import type { ObservedOutbound } from '../../../../src/commands/ports/gauges.js';
import { addInbound, configOf, coreBinary, freePort, inboundOf, type Place, place, template } from '../kit.js';

/** The page of the core's metrics listener. */
interface Vars {
  readonly memstats: { readonly Sys: number; readonly HeapAlloc: number; readonly NumGC: number };
  readonly observatory: Readonly<Record<string, { readonly alive?: boolean; readonly delay?: number }>> | null;
}

describe('the port of the metrics', () => {
  const of = (port: number | string) =>
    metricsFor(configOf([inboundOf({ port, protocol: 'vless' })], { ...template, metrics: {} }));

  it('is not the port of any inbound', async () => {
    expect(await of('1,2-3')).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(await of('443,1024-65535')).toBeNull();
  });
});

describe.skipIf(coreBinary === null)('the metrics of a core', () => {
  let here: Place;
  const asked: string[] = [];
  const probed = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(204).end();
  });
  let url = '';

  beforeEach(async () => {
    here = place();
    await new Promise<void>((resolve) => probed.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(probed.address() as AddressInfo).port}/probe`;
  });
  afterEach(async () => {
    await here.dispose();
    await new Promise((resolve) => probed.close(resolve));
  });

  const vars = async (): Promise<Vars> => {
    const response = await fetch(`http://${here.core.stats.metrics.listen}/debug/vars`);
    return (await response.json()) as Vars;
  };
  /** Once every outbound was probed. */
  const observed = async (count: number): Promise<readonly ObservedOutbound[]> => {
    for (
      const until = Date.now() + 120_000;
      Date.now() < until;
      await new Promise((resolve) => setTimeout(resolve, 50))
    ) {
      const all = await here.core.stats.metrics.observatory();
      if (all.filter(({ lastTryTime, alive }) => lastTryTime > 0 || alive).length === count) return all;
    }
    throw new Error('not every outbound was probed');
  };

  it('are empty while no core runs', async () => {
    expect(here.core.stats.metrics.listen).toBeNull();
    await expect(here.core.stats.metrics.runtime()).rejects.toMatchObject({ kind: 'not-running' });
    await expect(here.core.stats.metrics.observatory()).resolves.toStrictEqual([]);
  });

  it('have no page unless the template configures one', async () => {
    await here.core.process.start(configOf([]));
    expect(here.core.stats.metrics.listen).toBeNull();
    expect((await here.core.stats.metrics.runtime()).sys).toBeGreaterThan(0);
  });

  it('are not reachable through the core', async () => {
    await here.core.process.start(configOf([], { ...template, Metrics: { listen: '0.0.0.0:1' } }));
    const { listen } = here.core.stats.metrics;
    const dest = Number(listen?.split(':').at(-1));
    const settings = { decryption: 'none', fallbacks: [{ dest }] };
    const inbound = inboundOf({ tag: 'a', listen: '127.0.0.1', port: await freePort(), protocol: 'vless', settings });
    await expect(addInbound(here.core, inbound)).rejects.toMatchObject({ kind: 'invalid', inbound: 'a' });
    expect(await here.core.inbounds.tags()).toStrictEqual([]);
  });

  it('equal those of its metrics page', async () => {
    await here.core.process.start(configOf([], { ...template, metrics: {} }));
    const [runtime, page] = [await here.core.stats.metrics.runtime(), await vars()];
    // The two are read at different times: memory in use varies, memory from the system changes in large steps.
    for (const [ours, theirs] of [
      [runtime.sys, page.memstats.Sys],
      [runtime.alloc, page.memstats.HeapAlloc],
    ] as const) {
      expect(ours).toBeGreaterThan(theirs / 3);
      expect(ours).toBeLessThan(theirs * 3);
    }
    expect(page.memstats.NumGC - runtime.numGC).toBeLessThanOrEqual(1);
    expect(runtime.heapObjects).toBeGreaterThan(1000);
    expect(page.observatory).toBeNull();
    await expect(here.core.stats.metrics.observatory()).resolves.toStrictEqual([]);
    const { listen } = here.core.stats.metrics;
    await here.core.process.stop();
    expect(here.core.stats.metrics.listen).toBeNull();
    await expect(fetch(`http://${listen}/debug/vars`)).rejects.toThrow('fetch failed');
  });

  it.each(['observatory', 'Observatory'])('have the results of its %s', async (name) => {
    const observatory = {
      subjectSelector: ['direct', 'blocked'],
      probeURL: url,
      probeInterval: '1s',
      enableConcurrency: true,
    };
    await here.core.process.start(configOf([], { ...template, metrics: {}, [name]: observatory }));
    const all = await observed(2);
    const now = Date.now() / 1000;
    expect(all.toSorted((a, b) => (a.tag < b.tag ? -1 : 1))).toStrictEqual([
      { tag: 'blocked', alive: false, delay: 99_999_999, lastSeenTime: 0, lastTryTime: expect.any(Number) },
      {
        tag: 'direct',
        alive: true,
        delay: expect.any(Number),
        lastSeenTime: expect.any(Number),
        lastTryTime: expect.any(Number),
      },
    ]);
    for (const { lastTryTime } of all) expect(Math.abs(now - lastTryTime)).toBeLessThan(30);
    expect(asked).toContain('/probe');
    expect(Object.keys((await vars()).observatory ?? {}).toSorted()).toStrictEqual(['blocked', 'direct']);
  });

  it('have the results of its burst observatory', async () => {
    const pingConfig = { destination: url, interval: '1s', timeout: '1s', sampling: 2 };
    const burst = { subjectSelector: ['direct'], pingConfig };
    await here.core.process.start(configOf([], { ...template, burstObservatory: burst }));
    const all = await observed(1);
    expect(all).toMatchObject([{ tag: 'direct', alive: true }]);
  });
});
