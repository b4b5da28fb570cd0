import { type Arbitrary, array, assert as check, constantFrom, nat, oneof, property, record } from 'fast-check';
import { expect, it } from 'vitest';
import type { ImportTotals } from '../../../src/events/import.js';
import { traffic } from '../../../src/projections/models/traffic.js';
import { folded } from '../../kit/spec.js';
import { xuiClient, xuiInbound, xuiStats } from '../../kit/xui-database.js';
import { imported } from './kit.js';

const bytes: Arbitrary<number | bigint> = oneof(nat(), constantFrom(0, -1, 2n ** 60n, 2n ** 53n));
const email = constantFrom('a', 'b', 'A', 'c ', '', 'd', '>', 'a_2');
const client = record({
  email,
  subId: constantFrom('', 's', 't'),
  id: constantFrom(1, 2, 3),
  enable: constantFrom(true, false),
});
const inbound = record({
  protocol: constantFrom('vless', 'VLESS', 'trojan', 'mixed', 'mtproto'),
  port: constantFrom(1, 2, 3, 70_000),
  broken: constantFrom(false, false, false, true),
  clients: array(client, { maxLength: 4 }),
  up: bytes,
  down: bytes,
});
const stats = record({ email, inbound: nat(4), up: bytes, down: bytes });

it('the sums before an import are those after it plus what was skipped, for any database, and equal those in the events', () => {
  check(
    property(
      array(inbound, { maxLength: 4 }),
      array(stats, { maxLength: 6 }),
      array(bytes, { maxLength: 3 }),
      (all, rows, out) => {
        const { report, state, events } = imported({
          inbounds: all.map(({ protocol, port, broken, clients, up, down }, index) => {
            const members = clients.map(({ id, ...own }) => xuiClient(id, own));
            const row = xuiInbound(index + 1, { protocol, port, up, down, clients: members });
            return broken ? { ...row, settings: '{' } : row;
          }),
          client_traffics: rows.map((row, index) =>
            xuiStats(index + 1, row.inbound, row.email, { up: row.up, down: row.down }),
          ),
          outbound_traffics: out.map((up, index) => ({ id: index + 1, tag: `t${index % 2}`, up, down: 0, total: 0 })),
          unique: false,
        });
        const { before, after, skipped } = report.totals;
        for (const key of Object.keys(before) as (keyof ImportTotals)[])
          expect([key, Math.min(Number.MAX_SAFE_INTEGER, after[key] + skipped[key])]).toEqual([key, before[key]]);
        const { clients, inbounds, outbounds } = folded(traffic, ...events);
        const sum = (counters: ReadonlyMap<unknown, { up: number; down: number }>, way: 'up' | 'down'): number =>
          [...counters.values()].reduce((total, counter) => Math.min(Number.MAX_SAFE_INTEGER, total + counter[way]), 0);
        expect(after).toEqual({
          inbounds: state.inbounds.size,
          clients: state.clients.size,
          inboundUp: sum(inbounds, 'up'),
          inboundDown: sum(inbounds, 'down'),
          clientUp: sum(clients, 'up'),
          clientDown: sum(clients, 'down'),
          outboundUp: sum(outbounds, 'up'),
          outboundDown: sum(outbounds, 'down'),
        });
      },
    ),
    { numRuns: 150 },
  );
});
