import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupCounters, readCounters } from '../../../src/adapters/core/control/counters.js';
import { encode } from '../../../src/adapters/core/control/messages.js';
import {
  type Certificate,
  type ClientCore,
  certificate,
  clientCore,
  configOf,
  coreBinary,
  fetchThrough,
  freePort,
  inboundOf,
  numberOf,
  type Place,
  place,
  type Target,
  target,
} from './kit.js';
import { type Way, ways } from './protocols.js';

describe('the decoder of counters', () => {
  const answer = (stat: readonly object[]) => encode('xray.app.stats.command.QueryStatsResponse', { stat });

  it('reads names and large numbers', () => {
    const stat = [
      { name: 'user>>>7:ä@x>>>traffic>>>uplink', value: 5_000_000_000_001 },
      { name: 'user>>>7:ä@x>>>traffic>>>downlink', value: 0 },
      { name: 'user>>>7:renamed>>>traffic>>>downlink', value: 4 },
      { name: 'user>>>ä@x>>>traffic>>>downlink', value: 8 },
      { name: 'outbound>>>portolan-cut>>>traffic>>>uplink', value: 3 },
      { name: 'strange', value: 3 },
    ];
    const readings = readCounters(answer(stat));
    expect(readings).toStrictEqual(stat);
    expect(groupCounters(readings)).toStrictEqual({
      clients: new Map([[7, { up: 5_000_000_000_001, down: 4 }]]),
      inbounds: new Map(),
      outbounds: new Map(),
    });
    expect(() => readCounters(answer(stat).subarray(0, 20))).not.toThrow(TypeError);
  });
});

describe.skipIf(coreBinary === null)('the counters of a core', () => {
  let cert: Certificate;
  let web: Target;
  let here: Place;
  const clients: ClientCore[] = [];
  beforeAll(async () => {
    cert = await certificate();
    web = await target(cert);
    here = place();
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    await here.dispose();
    await web.close();
  });

  it('count each byte of an account once, from zero, without a reset', async () => {
    const { core } = here;
    const way = ways(cert, web.tlsPort)['vless-tcp'] as Way;
    const port = await freePort();
    const alice = way.account('Alice@x');
    await core.process.start(configOf([inboundOf(way.inbound(port), [alice])]));
    const client = await clientCore(here.folder, [way.outbound(port, alice)]);
    clients.push(client);
    const read = async () => (await core.stats.counters()).clients.get(numberOf('Alice@x'));
    expect(await read()).toBeUndefined();
    expect(await fetchThrough(client.ports[0] ?? 0, web.port)).toBe('small!');
    const once = await read();
    expect(once?.down).toBeGreaterThan(90);
    expect(once?.up).toBeGreaterThan(40);
    expect(await fetchThrough(client.ports[0] ?? 0, web.port)).toBe('small!');
    expect(await read()).toStrictEqual({ ...once, up: (once?.up ?? 0) * 2, down: (once?.down ?? 0) * 2 });
    const { clients: people, inbounds, outbounds } = await core.stats.counters();
    expect([...people.keys()]).toStrictEqual([numberOf('alice@x')]);
    expect([...inbounds.keys()]).toStrictEqual(['vless-tcp']);
    expect([...outbounds.keys()].sort()).toStrictEqual(['blocked', 'direct']);
  });
});
