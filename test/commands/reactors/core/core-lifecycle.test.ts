import { describe, expect, it, vi } from 'vitest';
import type { AnyCommand } from '../../../../src/commands/catalog.js';
import { CoreError } from '../../../../src/commands/ports/core.js';
import { message, verbatim } from '../../../../src/messages/message.js';
import { render } from '../../../../src/messages/render.js';
import { alice, bob, DAY, draft, one, T0 } from '../../../kit/builders.js';
import { addClients, addInbound, type Place, started } from '../kit.js';
import type { FakeCore } from './fake-core.js';

const update = (who: typeof alice, email = 'alice'): AnyCommand => ({
  type: 'UpdateClient',
  data: { inbound: one, client: { email }, draft: who },
});
const past = [addInbound(1), addClients(alice, bob)] as const;
const fresh = (core?: FakeCore) => started(core, ...past);
const starts = (place: Place) => place.data('CoreStarted').map((data) => (data as { reason: string }).reason);

describe('a request of an admin', () => {
  it('stops the core and keeps it stopped', async () => {
    const place = await fresh();
    expect(await place.done({ type: 'StopCore', data: {} })).toStrictEqual(['stop']);
    expect(await place.done(addInbound(2), addClients(draft('carol', 3)))).toStrictEqual([]);
    await place.wait(120_000);
    expect(place.core.seen()).toStrictEqual([]);
    expect(await place.done({ type: 'RestartCore', data: {} })).toStrictEqual(['start in-1,in-2']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob', 'carol'], 'in-2': [] });
  });

  it('has the reason in each failed response', async () => {
    const place = await fresh();
    const failing = () =>
      place.core.fail.set('start', new CoreError('refused', verbatim('The core ended with code 7')));
    const failures = () => place.data('CoreFailed');
    failing();
    await place.done({ type: 'RestartCore', data: {} });
    failing();
    await place.wait(2000); // it is retried automatically, without another report
    expect(failures()).toStrictEqual([{ run: null, reason: verbatim('The core ended with code 7') }]);
    failing();
    await place.done({ type: 'RestartCore', data: {} });
    expect(failures()).toHaveLength(2);
  });

  it('restarts the core, after its counters were read', async () => {
    const place = await fresh();
    place.core.counts = [{ kind: 'client', name: 1, up: 1, down: 2 }];
    expect(await place.done({ type: 'RestartCore', data: {} })).toStrictEqual(['stop', 'start in-1']);
    expect(place.events('CoreStarted', 'TrafficRecorded', 'CoreStopped').map(({ type }) => type)).toStrictEqual([
      'CoreStarted',
      'TrafficRecorded',
      'CoreStopped',
      'CoreStarted',
    ]);
  });

  it('for another template restarts the core', async () => {
    const place = await fresh();
    const template: AnyCommand = { type: 'ChangeCoreTemplate', data: { template: { log: {} }, outboundTestUrl: '' } };
    expect(await place.done(template)).toStrictEqual(['stop', 'start in-1']);
    expect(place.core.template).toStrictEqual({ log: {} });
    expect(starts(place)).toStrictEqual(['start', 'configuration']);
  });
});

describe('a core that rejects another template', () => {
  it('continues with the old one until it restarts, with one notification', async () => {
    const place = await fresh();
    const told: string[] = [];
    place.panel.alarms.raised$.subscribe(({ title, body }) =>
      told.push(`${render(title, 'en')}: ${render(body, 'en')}`),
    );
    const text = 'The core rejected the new configuration and keeps the previous one: no answer';
    const asked = vi.spyOn(place.core.config, 'test');
    const changed = (loglevel: string) => {
      asked.mockRejectedValueOnce(new CoreError('refused', verbatim('no answer')));
      return place.done({ type: 'ChangeCoreTemplate', data: { template: { log: { loglevel } }, outboundTestUrl: '' } });
    };
    expect(await changed('info')).toStrictEqual([]);
    expect(await changed('error')).toStrictEqual([]);
    expect(told).toStrictEqual([text]);
    expect(place.data('CoreFailed')).toStrictEqual([]);
    // Clients that may not connect are disconnected nevertheless.
    const off = await place.done(update(draft('alice', 1, { spec: { enabled: false } })));
    expect(off).toStrictEqual(['removeUser in-1 alice', 'disconnect in-1 alice']);
    expect(await place.done({ type: 'RestartCore', data: {} })).toStrictEqual(['stop', 'start in-1']);
    await changed('debug');
    expect(told).toStrictEqual([text, text]);
  });
});

describe('a core that exits', () => {
  it('is restarted after a delay that doubles', async () => {
    const place = await fresh();
    for (const seconds of [1, 2, 4]) {
      place.core.crash('killed');
      await place.calm();
      expect(place.core.seen()).toStrictEqual([]);
      await place.wait(seconds * 1000 - 100);
      expect(place.core.seen()).toStrictEqual([]);
      await place.wait(200);
      expect(place.core.seen()).toStrictEqual(['start in-1']);
    }
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob'] });
    expect(place.data('CoreFailed')).toStrictEqual(
      [1, 2, 3].map((run) => ({ run: `run-${run}`, reason: verbatim('killed') })),
    );
  });

  it('and cannot be started is reported once', async () => {
    const place = await fresh();
    place.core.crash('killed');
    for (let i = 0; i < 5; i += 1) {
      place.core.fail.set('start', new CoreError('missing', verbatim('there is no core binary')));
      await place.wait(61_000);
    }
    expect(place.data('CoreFailed')).toStrictEqual([
      { run: 'run-1', reason: verbatim('killed') },
      { run: null, reason: verbatim('there is no core binary') },
    ]);
    await place.wait(61_000);
    expect(place.core.run).not.toBeNull();
  });

  it('is started at once on request', async () => {
    const place = await fresh();
    for (let i = 0; i < 4; i += 1) {
      place.core.crash('killed');
      await place.wait(61_000);
    }
    place.core.crash('killed');
    expect(await place.done({ type: 'RestartCore', data: {} })).toStrictEqual(['start in-1']);
  });

  it('starts with the changes that were made meanwhile', async () => {
    const place = await fresh();
    place.core.crash('killed');
    expect(await place.done(addClients(draft('carol', 3)), addInbound(2))).toStrictEqual([]);
    await place.wait(1100);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob', 'carol'], 'in-2': [] });
  });
});

describe('a call without a response', () => {
  const lost = () => new CoreError('unreachable', verbatim('no answer'));

  it('is repeated without a restart if the core still responds', async () => {
    const place = await fresh();
    place.core.fail.set('addUser', lost());
    await place.done(addClients(draft('carol', 3)));
    await place.wait(1000);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob', 'carol'] });
    expect(place.core.runs).toBe(1);
    expect(place.warnings).toContain('the core could not be changed');
    expect(place.data('CoreDriftRepaired')).toStrictEqual([]);
  });

  it.each(['before', 'after'])('%s the core removed a client leaves no connection open', async (when) => {
    const place = await fresh();
    if (when === 'after') place.core.listening.get('in-1')?.users.delete(1);
    place.core.fail.set('removeUser', lost());
    place.must(update(draft('alice', 1, { spec: { enabled: false } })));
    await place.calm();
    await place.wait(1000);
    expect(place.core.seen().filter((call) => call.startsWith('disconnect'))).toStrictEqual(['disconnect in-1 alice']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['bob'] });
    expect(place.core.runs).toBe(1);
  });

  it('to disconnect a client is repeated', async () => {
    const place = await fresh();
    place.core.fail.set('disconnect', lost());
    const calls = await place.done(update(draft('alice', 1, { spec: { enabled: false } })));
    expect(calls).toStrictEqual([
      'removeUser in-1 alice',
      'disconnect in-1 alice',
      'responds',
      'disconnect in-1 alice',
    ]);
    await place.wait(30_000);
    expect(place.core.runs).toBe(1);
  });

  it('leads to a full start when it is repeated, and so does a core that does not respond', async () => {
    const place = await fresh();
    place.core.fail.set('addUser', lost());
    place.core.responsive = false;
    expect((await place.done(addClients(draft('carol', 3)))).slice(-2)).toStrictEqual(['stop', 'start in-1']);
    place.core.responsive = true;
    const losing = vi.spyOn(place.core.users, 'add').mockRejectedValue(lost());
    await place.done(addClients(draft('dave', 4)));
    for (let pause = 1; pause < 10 && place.core.runs < 3; pause += 1) await place.wait(1000);
    losing.mockRestore();
    await place.wait(5000);
    expect(place.core.runs).toBe(3);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob', 'carol', 'dave'] });
  });
});

describe('a rejected call', () => {
  it('leads to a full start', async () => {
    const place = await fresh();
    place.core.fail.set('addUser', new CoreError('refused', verbatim('no such inbound')));
    expect(await place.done(addClients(draft('carol', 3)))).toStrictEqual(['addUser in-1 carol', 'stop', 'start in-1']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob', 'carol'] });
  });
});

describe('a panel that starts', () => {
  it('starts the core with all enabled inbounds', async () => {
    const place = await fresh();
    await place.close(false);
    place.core.seen();
    await place.open();
    expect(place.core.seen()).toStrictEqual(['start in-1']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob'] });
  });

  it('adopts a running core and changes nothing if nothing differs', async () => {
    const place = await fresh();
    await place.close(true);
    expect(place.core.seen()).toStrictEqual(['release']);
    await place.open();
    expect(place.core.seen()).toStrictEqual([]);
    expect(starts(place)).toStrictEqual(['start', 'adopted']);
    expect(place.data('CoreDriftRepaired')).toStrictEqual([]);
  });

  it('repairs only the differences in an adopted core', async () => {
    const place = await fresh();
    await place.done(addInbound(2));
    await place.close(true);
    const { listening: inbounds } = place.core;
    // Not in the log.
    const mallory = { client: 99, email: 'mallory', account: { id: 'x' } };
    inbounds.get('in-1')?.users.delete(1);
    inbounds.get('in-1')?.users.set(99, mallory);
    inbounds.set('stranger', { config: { port: 6666 }, users: new Map() });
    place.core.seen();
    await place.open();
    const calls = place.core.seen();
    expect([...calls].sort()).toStrictEqual([
      'addUser in-1 alice',
      'disconnect in-1 99',
      'removeInbound stranger',
      'removeUser in-1 mallory',
    ]);
    expect(place.core.served).toStrictEqual({ 'in-1': ['bob', 'alice'], 'in-2': [] });
    expect(place.data('CoreDriftRepaired')).toStrictEqual([{ inboundTags: ['stranger'], clientCount: 2 }]);
  });

  it('closes open connections of clients that an earlier panel process had just removed', async () => {
    const place = await fresh();
    await place.close(true);
    place.core.seenClients.set('in-1', [1, 2, 98]);
    place.core.listening.get('in-1')?.users.delete(2);
    place.core.seen();
    await place.open();
    await expect.poll(() => place.core.served['in-1']).toContain('bob');
    expect(place.core.seen()).toStrictEqual(['disconnect in-1 bob,98', 'addUser in-1 bob']);
  });

  it('closes open connections of an inbound that an earlier panel process had just removed', async () => {
    const place = await fresh();
    await place.close(true);
    place.core.halfRemoved.set('in-7', { port: 7777 });
    place.core.seen();
    await place.open();
    expect(place.core.seen()).toStrictEqual(['removeInbound in-7']);
    expect(place.data('CoreDriftRepaired')).toStrictEqual([]);
  });

  it('restarts a core that runs another template', async () => {
    const place = await fresh();
    await place.close(true);
    place.core.template = { other: true };
    place.core.seen();
    await place.open();
    expect(place.core.seen()).toStrictEqual(['stop', 'start in-1']);
  });

  it('starts with a core that does not answer, and restarts that core', async () => {
    const place = await fresh();
    await place.close(true);
    place.core.fail.set('inboundTags', new CoreError('unreachable', verbatim('no answer')));
    place.core.responsive = false;
    place.core.seen();
    await place.open();
    expect(place.core.seen()).toStrictEqual(['responds', 'stop', 'start in-1']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob'] });
  });

  it('reports that the core exited while the panel was not running', async () => {
    const place = await fresh();
    await place.close(true);
    place.core.left = null;
    await place.open();
    expect(place.data('CoreFailed')).toStrictEqual([{ run: 'run-1', reason: message('core.exitedWithoutPanel') }]);
    expect(starts(place)).toStrictEqual(['start', 'start']);
  });

  it('stops a core that should not run any more', async () => {
    const place = await fresh();
    await place.done({ type: 'StopCore', data: {} });
    await place.close(false);
    place.core.seen();
    await place.open();
    expect(place.core.seen()).toStrictEqual([]);
  });
});

describe('an expiry', () => {
  it('takes effect also when the core does not report its counters', async () => {
    const place = await fresh();
    await place.done(update(draft('alice', 1, { spec: { expiresAt: T0 + DAY } })));
    place.clock.advance(DAY);
    place.core.fail.set('counters', new CoreError('unreachable', verbatim('no answer')));
    await place.wait(5000);
    expect(place.data('ClientDepleted')).toStrictEqual([
      { client: 1, depletion: { reason: 'expiry', expiresAt: T0 + DAY } },
    ]);
    expect(place.core.seen()).toStrictEqual(['removeUser in-1 alice', 'disconnect in-1 alice']);
  });
});
