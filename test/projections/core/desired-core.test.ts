import { assert as check, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PanelEvent } from '../../../src/events/catalog.js';
import { ClientDepleted, ClientIdentityChanged, ClientUpdated } from '../../../src/events/client/client.js';
import { CoreTemplateChanged } from '../../../src/events/core.js';
import {
  InboundDisabled,
  InboundEnabled,
  InboundTrafficReset,
  InboundUpdated,
} from '../../../src/events/inbound/inbound.js';
import type { CoreUser } from '../../../src/lib/core-config.js';
import type { JsonObject } from '../../../src/lib/json.js';
import type { DesiredCore } from '../../../src/projections/core/desired-core.js';
import { defaultTemplate } from '../../../src/projections/core/template.js';
import { LogReadModels } from '../../../src/projections/read-models.js';
import { alice, bob, clientAdded, first, identity, inboundAdded, one, second } from '../../kit/builders.js';
import { playedLogs, steps } from '../../kit/history/history.js';
import { TestLog } from '../../kit/log.js';

/** A core that applies only the reported changes. */
class Mirror {
  readonly inbounds = new Map<string, { readonly config: JsonObject; readonly users: Map<number, CoreUser> }>();

  follow(desired: DesiredCore): void {
    const { inbounds, users } = desired.takeChanges();
    const wanted = desired.config().inbounds;
    for (const tag of inbounds) {
      const inbound = wanted.get(tag);
      if (inbound) this.inbounds.set(tag, { config: inbound.config, users: new Map(inbound.users) });
      else this.inbounds.delete(tag);
    }
    for (const [tag, clients] of users) {
      for (const client of clients) {
        const user = wanted.get(tag)?.users.get(client);
        if (user) this.inbounds.get(tag)?.users.set(client, user);
        else this.inbounds.get(tag)?.users.delete(client);
      }
    }
  }
}

const plain = (inbounds: ReadonlyMap<string, { config: JsonObject; users: ReadonlyMap<number, CoreUser> }>) =>
  Object.fromEntries(
    [...inbounds].map(([tag, { config, users }]) => [tag, { config, users: Object.fromEntries(users) }]),
  );

describe('the desired core', () => {
  it('is the same incrementally as from scratch, and its changes are complete', () => {
    const open = playedLogs();
    let most = 0;
    check(
      property(steps(150), (history) => {
        const { journal, read, player } = open();
        const mirror = new Mirror();
        for (const [i, step] of history.entries()) {
          player.play([step]);
          if (i % 3 === 0) mirror.follow(read.desired);
        }
        mirror.follow(read.desired);
        expect(plain(mirror.inbounds)).toStrictEqual(plain(read.desired.config().inbounds));
        const fresh = new LogReadModels(journal.log).desired;
        expect(plain(fresh.config().inbounds)).toStrictEqual(plain(read.desired.config().inbounds));
        expect(fresh.digest()).toBe(read.desired.digest());
        for (const { id, tag } of read.inbounds.all()) {
          expect(fresh.inboundOf(tag)).toBe(read.desired.inboundOf(tag));
          if (read.desired.config().inbounds.has(tag)) expect(read.desired.inboundOf(tag)).toBe(id);
        }
        most = Math.max(most, ...[...mirror.inbounds.values()].map(({ users }) => users.size));
        journal.log.close();
      }),
      { numRuns: 30 },
    );
    expect(most).toBeGreaterThan(1);
  });

  const after = (...events: readonly PanelEvent[]) => {
    const journal = new TestLog();
    journal.append(inboundAdded(), clientAdded());
    const { desired } = new LogReadModels(journal.log);
    expect(desired.takeChanges()).toStrictEqual({ template: false, inbounds: new Set(), users: new Map() });
    journal.append(...events);
    return { desired, changes: desired.takeChanges() };
  };
  const users = (...clients: number[]) => new Map([['in-1', new Set(clients)]]);

  it('reports a changed client, but not its inbound, when only the client changes', () => {
    expect(after(clientAdded(bob, second)).changes).toStrictEqual({
      template: false,
      inbounds: new Set(),
      users: users(2),
    });
    const depleted = after(ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes: 1, capBytes: 1 } }));
    expect(depleted.changes).toStrictEqual({ template: false, inbounds: new Set(), users: users(1) });
    expect(depleted.desired.config().inbounds.get('in-1')?.users.size).toBe(0);
    const renamed = after(
      ClientIdentityChanged({ client: first, keyVersion: 1, emailChanged: true, identity: identity('amy') }),
    );
    expect(renamed.changes.users).toStrictEqual(users(1));
    expect(renamed.desired.config().inbounds.get('in-1')?.users.get(1)?.email).toBe('amy');
  });

  it('excludes disabled clients', () => {
    const { desired } = after(ClientUpdated({ client: first, changes: { enabled: false } }));
    expect([...(desired.config().inbounds.get('in-1')?.users ?? [])]).toStrictEqual([]);
  });

  it('reports no inbound for a change that does not affect the core', () => {
    const { changes } = after(
      InboundUpdated({ inbound: one, changes: { remark: 'x', capBytes: 7 } }),
      InboundTrafficReset({ inbound: one, up: 0, down: 0 }),
    );
    expect(changes.inbounds).toStrictEqual(new Set());
  });

  it('removes an inbound with its clients, and restores it with them', () => {
    const { desired, changes } = after(InboundDisabled({ inbound: one }));
    expect(changes.inbounds).toStrictEqual(new Set(['in-1']));
    expect(desired.config().inbounds.size).toBe(0);
    const back = after(InboundDisabled({ inbound: one }), InboundEnabled({ inbound: one }));
    expect([...(back.desired.config().inbounds.get('in-1')?.users.keys() ?? [])]).toStrictEqual([1]);
  });

  it('moves an inbound to its new tag', () => {
    const { desired, changes } = after(InboundUpdated({ inbound: one, changes: { tag: 'x' } }));
    expect(changes.inbounds).toStrictEqual(new Set(['in-1', 'x']));
    expect([...desired.config().inbounds.keys()]).toStrictEqual(['x']);
    expect([desired.inboundOf('in-1'), desired.inboundOf('x')]).toStrictEqual([undefined, 1]);
    expect([...(desired.config().inbounds.get('x')?.users.values() ?? [])]).toStrictEqual([
      { client: 1, email: 'alice', account: { id: alice.credential.id, flow: '' } },
    ]);
  });

  it('has the built-in template until another one is set', () => {
    expect(after().desired.template()).toBe(defaultTemplate);
    const { desired, changes } = after(
      CoreTemplateChanged({ keyVersion: 1, template: { log: {} }, outboundTestUrl: '' }),
    );
    expect([changes.template, desired.template()]).toStrictEqual([true, { log: {} }]);
  });
});
