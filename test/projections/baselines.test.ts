import { describe, expect, it } from 'vitest';
import type { PanelEvent } from '../../src/events/catalog.js';
import {
  ClientCredentialRotated,
  ClientDeleted,
  ClientIdentified,
  ClientTrafficInherited,
} from '../../src/events/client.js';
import { CoreStarted } from '../../src/events/core.js';
import { InboundUpdated } from '../../src/events/inbound.js';
import { KeyShredded } from '../../src/events/panel.js';
import { begin, catchUp } from '../../src/events/replay.js';
import { type Baselines, baselines, recordedOf } from '../../src/projections/baselines.js';
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
} from '../kit/builders.js';
import { TestLog } from '../kit/log.js';
import { folded } from '../kit/spec.js';

const started = (run: string) => CoreStarted({ run, version: '26', reason: 'start' });
const used = (bytes: number, client = first as number) =>
  traffic({ clients: [[client, bytes, 0]], inbounds: [[1, bytes, 0]], outbounds: [['direct', bytes, 0]] });
const names = (state: Baselines) =>
  [...state.byName.keys()]
    .sort()
    .map((name) => [name, recordedOf(state, name).up] as const)
    .filter(([, up]) => up > 0);
const rotated = (n: number, life: number, email = 'alice') =>
  ClientCredentialRotated({ client: first, life, identity: identity(email), credential: draft('', n).credential });
const shredded = (life: number) => KeyShredded({ key: `client:1/${life}`, reason: 'rotated' });
const past = [inboundAdded(), clientAdded(draft('Alice', 1)), started('r1')] as const;

describe('how far a counter is recorded', () => {
  it('is the sum over the run', () => {
    const state = folded(baselines, ...past, used(3), used(4));
    expect([state.run, names(state), state.inbounds.get('in-1')?.up, state.outbounds.get('direct')?.up]).toStrictEqual([
      'r1',
      [['alice', 7]],
      7,
      7,
    ]);
  });

  it('begins at zero with a run, and goes on when a run is taken over', () => {
    expect(names(folded(baselines, ...past, used(3), started('r1'), used(1)))).toStrictEqual([['alice', 4]]);
    expect(names(folded(baselines, ...past, used(3), started('r2')))).toStrictEqual([]);
    expect(names(folded(baselines, ...past, used(3), started('r2'), used(5)))).toStrictEqual([]); // of r1: too late
  });

  it('stays with the name when the client is renamed, deleted or added again', () => {
    const renamed = ClientIdentified({ client: first, life: 1, renamed: true, identity: identity('amy') });
    expect(names(folded(baselines, ...past, used(3), renamed, used(4)))).toStrictEqual([
      ['alice', 3],
      ['amy', 4],
    ]);
    const again = [ClientDeleted({ client: first, inbound: one }), clientAdded(alice, second), used(4, 2)] as const;
    expect(names(folded(baselines, ...past, used(3), ...again))).toStrictEqual([['alice', 7]]);
  });

  it('stays with the tag when an inbound is renamed', () => {
    const state = folded(baselines, ...past, used(3), InboundUpdated({ inbound: one, changes: { tag: 'x' } }), used(4));
    expect([...state.inbounds].map(([tag, { up }]) => [tag, up])).toStrictEqual([
      ['in-1', 3],
      ['x', 4],
    ]);
  });
});

describe('a name that two have', () => {
  const both = [...past, otherInbound(), clientAdded(draft('ALICE', 2), second, two)] as const;
  const inherited = ClientTrafficInherited({ client: second, from: first, up: 0, down: 0 });
  const gone = ClientDeleted({ client: first, inbound: one });

  it('is recorded as far as the sum of both', () => {
    expect(names(folded(baselines, ...both, used(3), used(4, 2)))).toStrictEqual([['alice', 7]]);
  });

  it('stays recorded when the key of the one that is gone is destroyed', () => {
    const erased = KeyShredded({ key: 'client:1/1', reason: 'erased' });
    expect(names(folded(baselines, ...both, used(3), inherited, gone, erased, used(4, 2)))).toStrictEqual([
      ['alice', 7],
    ]);
  });

  it('stays with the other when one is renamed, though its counter was reset', () => {
    const renamed = ClientIdentified({ client: first, life: 1, renamed: true, identity: identity('amy') });
    const state = folded(baselines, ...both, used(3), inherited, renamed, used(4, 1), used(5, 2));
    expect(names(state)).toStrictEqual([
      ['alice', 8],
      ['amy', 4],
    ]);
  });
});

describe('a replay after a rotation', () => {
  const replayed = (...events: readonly PanelEvent[]): readonly unknown[] => {
    const journal = new TestLog();
    journal.append(...past, ...events);
    const folding = begin(baselines);
    catchUp(journal.log, [folding]);
    return names(folding.state);
  };

  it('knows how far the counter was recorded, so that nothing is counted twice', () => {
    expect(replayed(used(3), rotated(2, 2), shredded(1), used(4))).toStrictEqual([['alice', 7]]);
    expect(replayed(used(3), rotated(2, 2), shredded(1), used(4), rotated(3, 3), shredded(2), used(5))).toStrictEqual([
      ['alice', 12],
    ]);
  });

  it('knows it when the client is renamed after it', () => {
    const renamed = ClientIdentified({ client: first, life: 2, renamed: true, identity: identity('amy') });
    expect(replayed(used(3), rotated(2, 2), shredded(1), renamed, used(4))).toStrictEqual([
      ['alice', 3],
      ['amy', 4],
    ]);
  });

  it('remembers no name that was erased, no more than a replay does', () => {
    const gone = [ClientDeleted({ client: first, inbound: one }), KeyShredded({ key: 'client:1/1', reason: 'erased' })];
    const live = folded(baselines, ...past, used(3), ...gone);
    expect(JSON.stringify(baselines.save(live))).not.toContain('alice');
    expect(replayed(used(3), ...gone)).toStrictEqual([]);
  });

  it('knows it when the client was renamed before it in the same run: the name before is forgotten', () => {
    const renamed = ClientIdentified({ client: first, life: 1, renamed: true, identity: identity('amy') });
    expect(replayed(used(3), renamed, used(4), rotated(2, 2, 'amy'), shredded(1))).toStrictEqual([['amy', 4]]);
  });
});

describe('who asked before', () => {
  const renamed = (email: string, client = first) =>
    ClientIdentified({ client, life: 1, renamed: true, identity: identity(email) });
  const inherited = ClientTrafficInherited({ client: second, from: first, up: 0, down: 0 });
  const both = [...past, otherInbound(), clientAdded(draft('ALICE', 2), second, two)] as const;
  const lives: Readonly<Record<string, readonly PanelEvent[]>> = {
    'of one that grows, and a new run': [...past, used(3), used(4), started('r2'), started('r1'), used(5)],
    'of one that is renamed there and back': [...past, used(3), renamed('amy'), used(4), renamed('alice'), used(5)],
    'of two with one name': [...both, used(3), used(4, 2), renamed('amy'), used(5), renamed('Amy', second), used(6, 2)],
    'of an heir': [...both, used(3), used(4, 2), inherited, ClientDeleted({ client: first, inbound: one }), used(5, 2)],
    'of one that is rotated and erased': [
      ...past,
      ...[used(3), rotated(2, 2), shredded(1), used(4), ClientDeleted({ client: first, inbound: one })],
      KeyShredded({ key: 'client:1/2', reason: 'erased' }),
    ],
  };

  it.each(Object.entries(lives))('is told the same as who did not, %s', (_, events) => {
    const journal = new TestLog();
    const folding = begin(baselines);
    for (const event of events) {
      journal.append(event);
      catchUp(journal.log, [folding]);
      const fresh = baselines.load(JSON.parse(JSON.stringify(baselines.save(folding.state))) as never);
      expect(names(folding.state)).toStrictEqual(names(fresh));
      expect([...folding.state.sums.keys()].filter((name) => folding.state.byName.get(name).length === 0)).toEqual([]);
    }
  });
});
