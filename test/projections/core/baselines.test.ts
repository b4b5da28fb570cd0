import { describe, expect, it } from 'vitest';
import type { PanelEvent } from '../../../src/events/catalog.js';
import {
  ClientCredentialRotated,
  ClientDeleted,
  ClientIdentityChanged,
  ClientTrafficTransferred,
} from '../../../src/events/client/client.js';
import { CoreStarted } from '../../../src/events/core.js';
import { InboundDeleted, InboundUpdated } from '../../../src/events/inbound/inbound.js';
import { loadedState, savedState } from '../../../src/events/log/fold.js';
import { begin, catchUp } from '../../../src/events/log/replay.js';
import { DataKeyDestroyed } from '../../../src/events/panel.js';
import { InboundCountersReleased } from '../../../src/events/traffic/traffic.js';
import { canonicalJson } from '../../../src/lib/json.js';
import { baselines, baselinesOf, counterOwner, tagsToPassOn } from '../../../src/projections/core/baselines.js';
import {
  alice,
  clientAdded,
  draft,
  first,
  identity,
  inboundAdded,
  one,
  otherInbound,
  second,
  traffic,
  two,
} from '../../kit/builders.js';
import { TestLog } from '../../kit/log.js';
import { folded } from '../../kit/spec.js';

const read = (...events: readonly PanelEvent[]) => baselinesOf(folded(baselines, ...events), null);

const started = (run: string) => CoreStarted({ run, version: '26', reason: 'start' });
const used = (bytes: number, client = first as number, inbound = 1) =>
  traffic({ clients: [[client, bytes, 0]], inbounds: [[inbound, bytes, 0]], outbounds: [['direct', bytes, 0]] });
const ups = (counters: Iterable<readonly [number | string, { readonly up: number }]>) =>
  [...counters].map(([key, { up }]) => [key, up]);
const rotated = (n: number, keyVersion: number) =>
  ClientCredentialRotated({
    client: first,
    keyVersion,
    identity: identity('alice'),
    credential: draft('', n).credential,
  });
const renamed = (email: string) =>
  ClientIdentityChanged({ client: first, keyVersion: 1, emailChanged: true, identity: identity(email) });
const tagged = (inbound: typeof one, tag: string) => InboundUpdated({ inbound, changes: { tag } });
const passedOn = (tag: string, up: number, run = 'r1') => InboundCountersReleased({ run, counters: [[tag, up, 0]] });
const past = [inboundAdded(), clientAdded(draft('Alice', 1)), started('r1')] as const;

describe('the recorded value of a counter', () => {
  it('is the sum over the run', () => {
    const { run, clients, inbounds, outbounds } = read(...past, used(3), used(4));
    expect([run, ups(clients), ups(inbounds), ups(outbounds)]).toStrictEqual([
      'r1',
      [[1, 7]],
      [['in-1', 7]],
      [['direct', 7]],
    ]);
  });

  it('starts at zero with each run, and continues when a run is adopted', () => {
    expect(ups(read(...past, used(3), started('r1'), used(1)).clients)).toStrictEqual([[1, 4]]);
    expect(ups(read(...past, used(3), started('r2')).clients)).toStrictEqual([]);
    expect(ups(read(...past, used(3), started('r2'), used(5)).clients)).toStrictEqual([]); // of r1: too late
  });

  it('belongs to one client, regardless of its name and of later clients with its email', () => {
    expect(ups(read(...past, used(3), renamed('amy'), used(4)).clients)).toStrictEqual([[1, 7]]);
    const gone = ClientDeleted({ client: first, inbound: one });
    const late = read(...past, used(3), gone, clientAdded(alice, second), used(4, 2), used(5, 1));
    expect(ups(late.clients)).toStrictEqual([
      [1, 8],
      [2, 4],
    ]);
  });

  it('belongs to one of two clients with the same email, even after a transfer of usage', () => {
    const both = [...past, otherInbound(), clientAdded(draft('ALICE', 2), second, two)] as const;
    const inherited = ClientTrafficTransferred({ client: second, fromClient: first, up: 3, down: 0 });
    expect(ups(read(...both, used(3), used(4, 2), inherited).clients)).toStrictEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  it('survives a replay with destroyed keys, and contains no name', () => {
    const journal = new TestLog();
    const shredded = (keyVersion: number, reason: 'rotated' | 'erased') =>
      DataKeyDestroyed({ key: `client:1/${keyVersion}`, reason });
    const gone = ClientDeleted({ client: first, inbound: one });
    journal.append(...past, used(3), rotated(2, 2), shredded(1, 'rotated'), used(4), gone, shredded(2, 'erased'));
    const folding = begin(baselines);
    catchUp(journal.log, [folding]);
    expect(ups(baselinesOf(folding.state, null).clients)).toStrictEqual([[1, 7]]);
    expect(canonicalJson(savedState(baselines, folding.state))).not.toMatch(/alice/i);
  });
});

describe('the counter of a tag', () => {
  const owners = (state: ReturnType<typeof read>) => [counterOwner(state, 'in-1'), counterOwner(state, 'x')];

  it('belongs to its inbound until the core runs the inbound under another tag', () => {
    const before = read(...past, used(3), tagged(one, 'x'), used(4));
    expect([ups(before.inbounds), owners(before), tagsToPassOn(before)]).toStrictEqual([
      [['in-1', 7]],
      [1, undefined],
      ['in-1'],
    ]);
    const after = read(...past, used(3), tagged(one, 'x'), used(4), passedOn('in-1', 7), used(5));
    expect([ups(after.inbounds), owners(after), tagsToPassOn(after)]).toStrictEqual([
      [
        ['in-1', 7],
        ['x', 5],
      ],
      [undefined, 1],
      [],
    ]);
  });

  it('belongs to a deleted inbound until it is released to the next one with the tag', () => {
    const events = [
      ...past,
      used(3),
      InboundDeleted({ inbound: one }),
      inboundAdded({ id: two, spec: { port: 8443, tag: 'in-1' } }),
    ] as const;
    const before = read(...events, used(4));
    expect([ups(before.inbounds), owners(before)[0]]).toStrictEqual([[['in-1', 7]], 1]);
    const after = read(...events, used(4), passedOn('in-1', 9), used(5, 1, 2));
    expect([ups(after.inbounds), owners(after)[0]]).toStrictEqual([[['in-1', 14]], 2]);
  });

  it('belongs to the first inbound that used the tag', () => {
    const events = [
      ...past,
      InboundDeleted({ inbound: one }),
      inboundAdded({ id: two, spec: { port: 8443, tag: 'in-1' } }),
      InboundDeleted({ inbound: two }),
    ];
    expect(owners(read(...events))[0]).toBe(1);
    expect(owners(read(...events, passedOn('in-1', 0)))[0]).toBeUndefined();
  });

  it('stays with each inbound when two swap their tags', () => {
    const swap = [tagged(one, 'y'), tagged(two, 'in-1'), tagged(one, 'in-2')] as const;
    const before = read(...past, otherInbound(), ...swap, used(3), used(4, 1, 2));
    expect(ups(before.inbounds)).toStrictEqual([
      ['in-1', 3],
      ['in-2', 4],
    ]);
    expect(['in-1', 'in-2'].map((tag) => counterOwner(before, tag))).toStrictEqual([1, 2]);
  });

  it('starts again with a run, and ignores released counters of another run', () => {
    const events = [...past, used(3), tagged(one, 'x')] as const;
    expect(tagsToPassOn(read(...events, started('r2')))).toStrictEqual([]);
    expect(tagsToPassOn(read(...events, passedOn('in-1', 3, 'r0')))).toStrictEqual(['in-1']);
  });

  it('has the same owner after a snapshot', () => {
    const events = [
      ...past,
      used(3),
      tagged(one, 'x'),
      inboundAdded({ id: two, spec: { port: 8443, tag: 'in-1' } }),
      InboundDeleted({ inbound: two }),
    ] as const;
    const state = folded(baselines, ...events);
    const fresh = loadedState(baselines, structuredClone(savedState(baselines, state)));
    expect(fresh).toStrictEqual(state);
    expect(owners(baselinesOf(fresh, null))).toStrictEqual(owners(read(...events)));
  });
});
