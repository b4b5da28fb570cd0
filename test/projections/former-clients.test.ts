import { describe, expect, it } from 'vitest';
import { ClientCredentialRotated, ClientDeleted, ClientIdentityChanged } from '../../src/events/client/client.js';
import { loadedState, savedState } from '../../src/events/log/fold.js';
import { DataKeyDestroyed } from '../../src/events/panel.js';
import { clients } from '../../src/projections/models/clients.js';
import { LogReadModels } from '../../src/projections/read-models.js';
import { alice, clientAdded, draft, first, inboundAdded, one, second } from '../kit/builders.js';
import { TestLog } from '../kit/log.js';
import { folded } from '../kit/spec.js';

const deleted = (client = first) => ClientDeleted({ client, inbound: one });
const shredded = (keyVersion: number, client = 1) =>
  DataKeyDestroyed({ key: `client:${client}/${keyVersion}`, reason: 'erased' });
const rotated = ClientCredentialRotated({
  ...{ client: first, keyVersion: 2, identity: alice.identity, credential: draft('alice', 9).credential },
});
const named = (email: string, ...events: Parameters<typeof folded>[1][]) =>
  folded(clients, inboundAdded(), clientAdded(), ...events)
    .deleted.of(email)
    .map(({ number }) => number);

describe('deleted clients', () => {
  it('are found by their last email, regardless of case', () => {
    expect(named('alice')).toStrictEqual([]);
    expect(named('ALICE', deleted())).toStrictEqual([1]);
    const amy = ClientIdentityChanged({
      client: first,
      keyVersion: 1,
      emailChanged: true,
      identity: draft('amy', 1).identity,
    });
    expect([named('alice', amy, deleted()), named('amy', amy, deleted())]).toStrictEqual([[], [1]]);
    expect(named('alice', deleted(), clientAdded(alice, second), deleted(second))).toStrictEqual([1, 2]);
  });

  it('are forgotten when the key of their name is destroyed, and no other one', () => {
    expect(named('alice', deleted(), DataKeyDestroyed({ key: 'client:1/addresses', reason: 'erased' }))).toStrictEqual([
      1,
    ]);
    expect(named('alice', deleted(), shredded(1, 2))).toStrictEqual([1]);
    expect(named('alice', deleted(), shredded(1))).toStrictEqual([]);
    expect(named('alice', rotated, shredded(1), deleted())).toStrictEqual([1]);
    expect(named('alice', rotated, shredded(1), deleted(), shredded(2))).toStrictEqual([]);
  });

  it('are the same after a replay and after a snapshot, also when their keys are destroyed', () => {
    const journal = new TestLog();
    const living = new LogReadModels(journal.log);
    const same = () => {
      const again = new LogReadModels(journal.log);
      expect(again.follower.digests()).toStrictEqual(living.follower.digests());
      const [now, then] = [living, again].map((read) => read.clients.deleted('alice').map(({ number }) => number));
      expect(then).toStrictEqual(now);
      return now;
    };
    journal.append(inboundAdded(), clientAdded(), rotated, shredded(1));
    journal.append(deleted(), clientAdded(alice, second), deleted(second));
    expect(same()).toStrictEqual([1, 2]);
    const state = folded(clients, inboundAdded(), clientAdded(), deleted());
    const saved = structuredClone(savedState(clients, state));
    expect(loadedState(clients, saved).deleted.of('alice')).toStrictEqual(state.deleted.of('alice'));
    journal.append(shredded(2));
    expect(same()).toStrictEqual([2]);
    expect(living.clients.deleted('erased-1')).toStrictEqual([]);
  });
});
