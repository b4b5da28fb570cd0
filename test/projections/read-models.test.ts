import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/events/catalog.js';
import { ClientDeleted } from '../../src/events/client/client.js';
import { startFolds } from '../../src/projections/foldings.js';
import { digestsOf, LogReadModels } from '../../src/projections/read-models.js';
import {
  alice,
  bob,
  clientAdded,
  draft,
  first,
  identity,
  inboundAdded,
  one,
  second,
  T0,
  traffic,
} from '../kit/builders.js';
import { TestLog } from '../kit/log.js';

const twin = { ...bob, identity: identity('bob', { subId: 'sub-alice' }) };
const open = () => {
  const journal = new TestLog();
  journal.append(inboundAdded(), clientAdded(), clientAdded(twin, second));
  return { journal, read: new LogReadModels(journal.log) };
};

describe('the read models', () => {
  it('return existing and appended data in the same tick', () => {
    const { journal, read } = open();
    expect(read.clients.ofInbound(one).map(({ identity: { email } }) => email)).toStrictEqual(['alice', 'bob']);
    journal.append(traffic({ clients: [[1, 3, 4]], inbounds: [[1, 3, 4]], outbounds: [['direct', 1, 1]] }));
    const client = read.clients.firstByEmail('ALICE') ?? expect.fail();
    const inbound = read.inbounds.get(1) ?? expect.fail();
    expect([read.usage.client(client), read.usage.clientAllTime(client), read.usage.lastOnline(client)]).toStrictEqual([
      { up: 3, down: 4 },
      7,
      T0,
    ]);
    expect([read.usage.inbound(inbound), read.usage.inboundAllTime(inbound)]).toStrictEqual([{ up: 3, down: 4 }, 7]);
    expect([...read.usage.outbounds()]).toStrictEqual([['direct', { up: 1, down: 1 }]]);
    journal.append(ClientDeleted({ client: first, inbound: one }));
    expect([read.clients.firstByEmail('alice'), read.clients.get(1), [...read.clients.all()].length]).toStrictEqual([
      undefined,
      undefined,
      1,
    ]);
  });

  it('find clients by id and by subscription', () => {
    const { read } = open();
    expect(read.clients.byId(alice.credential.id).map(({ number }) => number)).toStrictEqual([1]);
    expect(read.clients.bySubId('sub-alice').map(({ number }) => number)).toStrictEqual([1, 2]);
    expect([read.clients.bySubId('nothing'), read.clients.byId(''), read.clients.firstByEmail('')]).toStrictEqual([
      [],
      [],
      undefined,
    ]);
  });

  it('list clients as online that had traffic recently or have a connection', () => {
    const { journal, read } = open();
    expect(read.usage.onlineEmails(T0)).toStrictEqual([]);
    journal.append(traffic({ clients: [[1, 1, 0]] }));
    expect([read.usage.onlineEmails(T0 + 20_000), read.usage.onlineEmails(T0 + 20_001)]).toStrictEqual([['alice'], []]);
    read.usage.online.set(['BOB', 'nobody']);
    expect(read.usage.onlineEmails(T0 + 99_999)).toStrictEqual(['bob']);
  });

  it('emit a batch after every model has applied it', () => {
    const { journal, read } = open();
    const seen: unknown[] = [];
    read.changed$.subscribe((events) => seen.push([events.length, read.clients.firstByEmail('carol') !== undefined]));
    journal.append(clientAdded(draft('carol', 3), first), clientAdded(draft('dave', 4), second));
    expect(seen).toStrictEqual([[2, true]]);
  });

  it('stop when a fold throws, and report that once', () => {
    const { journal, read } = open();
    const failures: string[] = [];
    const told: (readonly RecordedEvent[])[] = [];
    read.follower.failed$.subscribe((error) => failures.push(error.message));
    read.changed$.subscribe((events) => told.push(events));
    const traffics = read.follower.foldings.find(({ fold }) => fold.name === 'traffic')?.state as {
      clients: Map<number, unknown>;
    };
    traffics.clients.set = () => {
      throw new Error('poison');
    };
    journal.append(traffic({ clients: [[1, 1, 0]] }));
    journal.append(traffic({ clients: [[1, 1, 0]] }));
    expect(failures).toStrictEqual(['traffic failed at position 4 (TrafficRecorded): poison']);
    expect(told).toStrictEqual([]);
  });

  it('have digests that depend only on the log', () => {
    const { journal, read } = open();
    const { 'core-config': core, ...digests } = read.follower.digests();
    expect(core).toMatch(/^[\da-f]{64}$/);
    expect(digestsOf(startFolds())).not.toStrictEqual(digests);
    expect(new LogReadModels(journal.log).follower.digests()).toStrictEqual(read.follower.digests());
  });
});
