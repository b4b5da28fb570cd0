import { describe, expect, it } from 'vitest';
import { asSystem } from '../../../src/commands/bus.js';
import { Retention } from '../../../src/commands/reactors/traffic/retention.js';
import { Rejection } from '../../../src/commands/rejection.js';
import { HoldId, type InboundId } from '../../../src/events/ids.js';
import { heldFrom } from '../../../src/events/personal-data/hold-document.js';
import { verifyLog } from '../../../src/store/verify.js';
import { DAY, draft, HOUR, inboundAdded, inboundDraft, one, T0, traffic, two, userId } from '../../kit/builders.js';
import { busOver, TestLog } from '../../kit/log.js';

function setup() {
  const journal = new TestLog();
  journal.append(inboundAdded());
  const bus = busOver(journal.log, journal.clock);
  bus.must({ type: 'AddClients', data: { inbound: one, clients: [draft('alice', 1), draft('bob', 2)] } });
  const retention = new Retention({
    log: journal.log,
    rolledTo: () => bus.state.rolledTo,
    hours: () => 48,
    heldFrom: (since) => heldFrom(bus.state.holds, since),
    dispatch: (command) => bus.dispatch(command, asSystem('retention')),
    now: journal.clock.now,
    warn: (text) => expect.fail(text),
  });
  const hold = (over: Partial<{ clients: number[]; from: number; to: number }> = {}) =>
    bus.must({
      type: 'PlaceLegalHold',
      data: { clients: [], from: 0, to: 0, reason: 'court order', ...over },
    });
  const erase = (...clients: number[]) =>
    bus.dispatch({ type: 'EraseClients', data: { clients, reason: 'request' } }, asSystem('test'));
  const release = (id: number) => bus.must({ type: 'ReleaseLegalHold', data: { hold: id, reason: '' } });
  const typesAfter = (position: number) => journal.log.read(position, 100).map(({ type }) => type);
  const addSecondInbound = (): InboundId => {
    bus.must({
      type: 'AddInbound',
      data: { ...inboundDraft({ spec: { tag: 'in-2', port: 8443 } }), owner: userId(1) },
    });
    return two;
  };
  return { addSecondInbound, journal, bus, retention, hold, erase, release, typesAfter };
}

const codeOf = (outcome: unknown) => (outcome instanceof Rejection ? outcome.code : outcome);

describe('an erasure', () => {
  it('deletes the client, destroys its keys and certifies it; traffic stays, and the log verifies', () => {
    const { journal, bus, erase } = setup();
    journal.append(traffic({ run: 'r1', clients: [[1, 100, 50]] }));
    bus.must({ type: 'RecordClientIps', data: { seen: [{ client: 1, ips: [{ ip: '192.0.2.9', seenAt: T0 }] }] } });
    const { position } = journal.log.head();
    const done = erase(1);
    expect(done).not.toBeInstanceOf(Rejection);
    expect(journal.log.read(position, 10)).toMatchObject([
      { type: 'ClientDeleted', data: { client: 1 } },
      { type: 'DataKeyDestroyed', data: { key: 'client:1/1', reason: 'erased' } },
      { type: 'DataKeyDestroyed', data: { key: 'client:1/addresses', reason: 'erased' } },
      {
        type: 'PersonalDataErased',
        data: { clients: [1], keys: ['client:1/1', 'client:1/addresses'], details: { reason: 'request' } },
      },
    ]);
    const text = JSON.stringify(journal.all());
    expect(text).not.toContain('alice');
    expect(text).not.toContain('192.0.2.9');
    expect(journal.all().find(({ type }) => type === 'TrafficRecorded')).toMatchObject({
      data: { clients: [[1, 100, 50]] },
    });
    expect(bus.state.erasable.size).toBe(0);
    expect(verifyLog(journal.log).fault).toBeNull();
    expect(codeOf(erase(1))).toBe('CLIENT_DATA_UNKNOWN');
  });

  it('reaches all clients with the email, and a client that was deleted before', () => {
    const { journal, bus, erase, addSecondInbound } = setup();
    bus.must({ type: 'AddClients', data: { inbound: addSecondInbound(), clients: [draft('alice', 3)] } });
    bus.must({ type: 'DeleteClient', data: { inbound: one, client: { email: 'bob' } } });
    erase(3);
    erase(2);
    const certificates = journal.all().filter(({ type }) => type === 'PersonalDataErased');
    expect(certificates).toMatchObject([{ data: { clients: [1, 3] } }, { data: { clients: [2] } }]);
    expect(JSON.stringify(journal.all())).not.toMatch(/alice|bob/);
  });
});

describe('a legal hold', () => {
  it('on a client refuses its erasure until it is released, and not that of others', () => {
    const { hold, erase, release } = setup();
    hold({ clients: [1] });
    expect(erase(1)).toMatchObject({ code: 'LEGAL_HOLD', details: { hold: 1, by: 'root' } });
    expect(erase(2)).not.toBeInstanceOf(Rejection);
    release(1);
    expect(erase(1)).not.toBeInstanceOf(Rejection);
  });

  it('keeps the data of a deleted client from the automatic erasure', async () => {
    const { journal, bus, retention, hold, release, typesAfter } = setup();
    hold({ clients: [1] });
    bus.must({ type: 'DeleteClients', data: { clients: [...bus.state.clients.keys()] } });
    journal.clock.advance(60 * DAY);
    await retention.run();
    expect([...bus.state.erasable.keys()]).toStrictEqual(['client:1']);
    release(1);
    const { position } = journal.log.head();
    journal.clock.advance(60 * DAY);
    await retention.run();
    expect(typesAfter(position).filter((type) => type === 'DataKeyDestroyed')).toHaveLength(3);
    expect(bus.state.erasable.size).toBe(0);
    await retention.end();
  });

  it('keeps the former data of a client whose credential is replaced, and erases it after the release', async () => {
    const { journal, bus, retention, hold, erase, release } = setup();
    hold({ clients: [1] });
    const renewed = draft('alice', 7);
    bus.must({ type: 'UpdateClient', data: { inbound: one, client: { email: 'alice' }, draft: renewed } });
    expect(JSON.stringify(journal.all())).toContain('00000001');
    expect(bus.state.erasable.get('client:1/1')).toBeDefined();
    release(1);
    erase(1);
    expect(bus.state.erasable.get('client:1/1')).toBeUndefined();
    expect(JSON.stringify(journal.all())).not.toContain('alice');
    await retention.end();
  });

  it('covers the clients that get the email later, and those that take over the traffic', () => {
    const { bus, hold, erase, addSecondInbound } = setup();
    hold({ clients: [1] });
    const second = addSecondInbound();
    bus.must({ type: 'AddClients', data: { inbound: second, clients: [draft('alice', 3)] } });
    expect(bus.state.holds.get(HoldId.parse(1))?.clients).toStrictEqual([1, 3]);
    bus.must({ type: 'DeleteInbound', data: { inbound: second } });
    bus.must({ type: 'DeleteInbound', data: { inbound: one } });
    expect(codeOf(erase(3))).toBe('LEGAL_HOLD');
    expect(codeOf(erase(1))).toBe('LEGAL_HOLD');
  });

  it('on a period stops the roll-up before it, and the erasure of what existed in it', async () => {
    const { journal, bus, retention, hold, erase, release } = setup();
    journal.append(traffic({ run: 'r1', clients: [[1, 1, 1]] }));
    journal.clock.advance(DAY);
    const from = journal.clock.now();
    journal.append(traffic({ run: 'r1', clients: [[1, 2, 2]] }));
    const held = journal.log.head().position;
    hold({ from, to: from + HOUR });
    journal.clock.advance(10 * DAY);
    await retention.run();
    expect(bus.state.rolledTo).toBe(held - 1);
    const refused = bus.dispatch(
      {
        type: 'RecordRollUp',
        data: {
          ...{ fromPosition: held, toPosition: held, firstAt: from, lastAt: from, prunedCount: 1 },
          ...{ digest: '', sums: [], nodeSums: [] },
        },
      },
      asSystem('retention'),
    );
    expect(codeOf(refused)).toBe('LEGAL_HOLD');
    expect(codeOf(erase(1))).toBe('LEGAL_HOLD');
    release(1);
    await retention.run();
    expect(bus.state.rolledTo).toBeGreaterThanOrEqual(held);
    await retention.end();
  });

  it('needs a reason, and a client or a period that has begun', () => {
    const { bus, journal } = setup();
    const place = (over: object) =>
      codeOf(
        bus.dispatch(
          { type: 'PlaceLegalHold', data: { clients: [1], from: 0, to: 0, reason: 'x', ...over } },
          asSystem('test'),
        ),
      );
    expect(place({ reason: ' ' })).toBe('REASON_MISSING');
    expect(place({ reason: 'x'.repeat(1001) })).toBe('REASON_TOO_LONG');
    expect(place({ clients: [] })).toBe('HOLD_WITHOUT_SUBJECT');
    expect(place({ from: 5, to: 4 })).toBe('HOLD_REVERSED');
    expect(place({ from: journal.clock.now() + 1 })).toBe('HOLD_IN_FUTURE');
    expect(place({ clients: [77] })).toBe('CLIENT_DATA_UNKNOWN');
    expect(codeOf(bus.dispatch({ type: 'ReleaseLegalHold', data: { hold: 9, reason: '' } }, asSystem('test')))).toBe(
      'HOLD_NOT_FOUND',
    );
  });

  it('is the same after the log is read again', () => {
    const { journal, bus, hold, release } = setup();
    hold({ clients: [1] });
    hold({ from: 1, to: 2 });
    release(2);
    const again = busOver(journal.reopen().log, journal.clock);
    expect([...again.state.holds]).toStrictEqual([...bus.state.holds]);
    expect(again.state.lastHold).toBe(2);
  });
});
