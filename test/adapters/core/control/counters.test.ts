import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeCounters } from '../../../../src/adapters/core/control/counters.js';
import { encode } from '../../../../src/adapters/core/control/messages.js';
import { CounterTable } from '../../../../src/events/traffic/counter-table.js';
import { type Counter, zero } from '../../../../src/events/traffic/counters.js';
import { clientOfAccount } from '../../../../src/lib/account-name.js';
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
} from '../kit.js';
import { type Way, ways } from '../protocols.js';

type Stat = { readonly name: string; readonly value: number };
const answer = (stat: readonly Stat[]) => encode('xray.app.stats.command.QueryStatsResponse', { stat });

/** The same from names as text, as their documentation describes them. */
function parsed(stat: readonly Stat[]) {
  const sums = { user: new Map<number, Counter>(), inbound: new Map(), outbound: new Map<string, Counter>() };
  for (const { name: path, value } of stat) {
    const [, kind, name = '', direction] =
      /^(user|inbound|outbound)>>>(.*)>>>traffic>>>(up|down)link$/su.exec(path) ?? [];
    if (!kind) continue;
    const key = kind === 'user' ? clientOfAccount(name) : name;
    if (key === 0) continue;
    const all = sums[kind as keyof typeof sums] as Map<number | string, Counter>;
    const { up, down } = all.get(key) ?? zero;
    all.set(key, direction === 'up' ? { up: up + value, down } : { up, down: down + value });
  }
  for (const own of ['portolan-cut', 'metrics_out']) sums.outbound.delete(own);
  return { clients: [...CounterTable.of(sums.user)], inbounds: sums.inbound, outbounds: sums.outbound };
}

const decoded = (stat: readonly Stat[]) => {
  const { clients, inbounds, outbounds } = decodeCounters(answer(stat));
  return { clients: [...clients], inbounds, outbounds };
};

describe('the decoder of counters', () => {
  it('reads names and large numbers', () => {
    const stat = [
      { name: 'user>>>7:ä@x>>>traffic>>>uplink', value: 5_000_000_000_001 },
      { name: 'user>>>7:ä@x>>>traffic>>>downlink', value: 0 },
      { name: 'user>>>7:renamed>>>traffic>>>downlink', value: 4 },
      { name: 'user>>>ä@x>>>traffic>>>downlink', value: 8 },
      { name: 'outbound>>>portolan-cut>>>traffic>>>uplink', value: 3 },
      { name: 'strange', value: 3 },
    ];
    expect(decoded(stat)).toStrictEqual({
      clients: [[7, { up: 5_000_000_000_001, down: 4 }]],
      inbounds: new Map(),
      outbounds: new Map(),
    });
    expect(() => decodeCounters(answer(stat).subarray(0, 20))).not.toThrow(TypeError);
  });

  it('matches the bytes of any names as their text', () => {
    const number = fc.oneof(fc.nat(12), fc.maxSafeNat(), fc.constantFrom('007', '', '1234567890123456', '5x'));
    const client = fc.tuple(number, fc.constantFrom(':', '>>>', ''), fc.string({ unit: 'binary' }));
    const name = fc.oneof(
      client.map((pieces) => pieces.join('')),
      fc.constantFrom('in-1', 'direct', 'portolan-cut', 'metrics_out', 'ä>>>b'),
    );
    const path = fc.tuple(
      fc.constantFrom('user>>>', 'user>>>', 'inbound>>>', 'outbound>>>', 'users>>>', 'us'),
      name,
      fc.constantFrom('>>>traffic>>>uplink', '>>>traffic>>>downlink', '>>>traffic>>>', '>traffic>>>uplink', ''),
    );
    const stats = fc.array(fc.record({ name: path.map((pieces) => pieces.join('')), value: fc.nat(2 ** 31 - 1) }));
    fc.assert(
      fc.property(stats, (stat) => {
        expect(decoded(stat)).toStrictEqual(parsed(stat));
      }),
      { numRuns: 500 },
    );
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
    expect([...people].map(([client]) => client)).toStrictEqual([numberOf('alice@x')]);
    expect([...inbounds.keys()]).toStrictEqual(['vless-tcp']);
    expect([...outbounds.keys()].sort()).toStrictEqual(['blocked', 'direct']);
  });
});
