import { describe, expect, it } from 'vitest';
import { CoreError } from '../../../../src/commands/ports/core.js';
import { verbatim } from '../../../../src/messages/message.js';
import { render } from '../../../../src/messages/render.js';
import { alice, bob, draft, one } from '../../../kit/builders.js';
import type { FakeCore } from '../core/fake-core.js';
import { addClients, addInbound, started } from '../kit.js';

const [A, B, C] = ['198.51.100.1', '198.51.100.2', '198.51.100.3'];
const limited = (limitIp = 1) => draft('alice', 1, { spec: { limitIp } });
const past = [addInbound(1), addClients(limited(), bob)] as const;
const POLL = 5_000;
const types = ['ClientIpsBlocked', 'ClientIpsUnblocked'] as const;
const holding = (calls: readonly string[]) => calls.filter((call) => /^(block|disconnectAddresses)/.test(call));
const said = (allowed: string[], blocked: string[]) => ({
  ...{ client: 1, limit: 1, keep: 'newest', graceSeconds: 30 },
  ips: { allowed, blocked },
});

/** Online from these addresses, each opened at the time of the poll. */
function connect(core: FakeCore, at: number, ...ips: readonly string[]): void {
  core.connected = [
    { client: 1, ips: ips.map((ip) => ({ ip, at })) },
    { client: 2, ips: ips.map((ip) => ({ ip, at })) },
  ];
}

/** One device since a minute, and a second one for longer than the grace. */
async function crowded() {
  const place = await started(undefined, ...past);
  connect(place.core, place.clock.now(), A);
  await place.wait(POLL);
  place.core.seen();
  connect(place.core, place.clock.now() + 1, A, B);
  for (let i = 0; i < 6; i += 1) await place.wait(POLL);
  expect(place.data(...types)).toStrictEqual([]);
  await place.wait(POLL);
  expect(place.data(...types)).toStrictEqual([said([B], [A])]);
  return place;
}

describe('a client with too many addresses', () => {
  it('keeps only the newest after the grace period: others are disconnected and blocked in the core', async () => {
    const place = await crowded();
    expect(holding(place.core.seen())).toStrictEqual([`block in-1 alice ${A}`, `disconnectAddresses in-1 alice ${A}`]);
    const [event] = place.events('ClientIpsBlocked');
    expect(event?.meta.actor).toStrictEqual({ kind: 'system', id: 'ip-limit', name: 'ip-limit', ip: null });
  });

  it('is disconnected again while it stays connected, three times in total, with one event', async () => {
    const place = await crowded();
    place.core.seen();
    for (let i = 0; i < 10; i += 1) await place.wait(POLL);
    expect(holding(place.core.seen())).toStrictEqual([
      `disconnectAddresses in-1 alice ${A}`,
      `disconnectAddressesLast in-1 alice ${A}`,
    ]);
    expect(place.data(...types)).toHaveLength(1);
  });

  it('may use the other address when the kept one was gone for the grace period', async () => {
    const place = await crowded();
    connect(place.core, place.clock.now());
    for (let i = 0; i < 6; i += 1) await place.wait(POLL);
    expect(place.data(...types)).toHaveLength(1);
    place.core.seen();
    await place.wait(POLL);
    expect(place.data(...types).slice(1)).toStrictEqual([{ client: 1, reason: 'left' }]);
    expect(holding(place.core.seen())).toStrictEqual(['block']);
  });

  it('may use the other address when the kept one is idle, although its connections stay open', async () => {
    const place = await crowded();
    place.core.silent.set(`alice ${B}`, 31_000);
    await place.wait(POLL);
    expect(place.data(...types).slice(1)).toStrictEqual([{ client: 1, reason: 'left' }]);
  });

  it('may use the other address at once after a higher limit', async () => {
    const place = await crowded();
    const calls = await place.done({
      type: 'UpdateClient',
      data: { inbound: one, client: { email: 'alice' }, draft: limited(2) },
    });
    expect(holding(calls)).toStrictEqual(['block']);
    await place.wait(POLL);
    expect(place.data(...types).slice(1)).toStrictEqual([{ client: 1, reason: 'changed' }]);
  });

  it('may use the other address at once after a reset, for the grace period', async () => {
    const place = await crowded();
    const reset = { type: 'ResetClientTraffic', data: { inbound: null, email: 'alice' } } as const;
    expect(holding(await place.done(reset))).toStrictEqual(['block']);
    for (let i = 0; i < 6; i += 1) await place.wait(POLL);
    expect(place.data(...types).slice(1)).toStrictEqual([{ client: 1, reason: 'reset' }]);
    await place.wait(POLL);
    expect(place.data(...types)).toHaveLength(3);
  });

  it('that changes its network is never blocked, because the old address is idle', async () => {
    const place = await started(undefined, ...past);
    connect(place.core, place.clock.now(), A);
    await place.wait(POLL);
    // The core still lists connections that were lost without being closed.
    connect(place.core, place.clock.now(), A, B);
    for (let i = 1; i < 30; i += 1) {
      place.core.silent.set(`alice ${A}`, i * POLL);
      await place.wait(POLL);
    }
    expect(place.data(...types)).toStrictEqual([]);
  });

  it.each([true, false])(
    'that changes its network while idle addresses are unknown stays connected at the new address: %s',
    async (told) => {
      // Behind a proxy, with those kept that were there first.
      const place = await started(undefined, ...past, {
        type: 'ChangeSettings',
        data: { changes: { ipLimitKeep: 'oldest' } },
      });
      connect(place.core, place.clock.now(), A);
      for (let i = 0; i < 3; i += 1) await place.wait(POLL);
      connect(place.core, place.clock.now(), A, B);
      for (let i = 1; i < 10; i += 1) {
        if (told) place.core.silent.set(`alice ${A}`, i * POLL);
        await place.wait(POLL);
      }
      expect(place.data(...types)).toStrictEqual(told ? [] : [said([B], [A])]);
    },
  );

  it('is blocked at the newer address if the oldest ones are kept and known to be connected', async () => {
    const place = await started(undefined, ...past, {
      type: 'ChangeSettings',
      data: { changes: { ipLimitKeep: 'oldest' } },
    });
    place.core.silent.set(`alice ${A}`, 0);
    connect(place.core, place.clock.now(), A);
    for (let i = 0; i < 3; i += 1) await place.wait(POLL);
    connect(place.core, place.clock.now(), A, B);
    for (let i = 1; i < 10; i += 1) await place.wait(POLL);
    expect(place.data(...types)).toStrictEqual([{ ...said([A], [B]), keep: 'oldest' }]);
  });

  it('has one report that its connections cannot be closed, without a restart of the core', async () => {
    const place = await started(undefined, ...past);
    const heard: string[] = [];
    place.panel.alarms.raised$.subscribe(({ title, severity }) => heard.push(`${severity}: ${render(title, 'en')}`));
    place.core.mayDestroy = false;
    connect(place.core, place.clock.now(), A);
    await place.wait(POLL);
    connect(place.core, place.clock.now() + 1, A, B);
    for (let i = 0; i < 40; i += 1) await place.wait(POLL);
    expect(heard).toStrictEqual(['warning: A blocked address keeps its open connections']);
    expect(holding(place.core.calls)).toHaveLength(4);
    expect(place.core.runs).toBe(1);
  });

  it('counts an IPv6 network once, and IPv4-mapped addresses as IPv4', async () => {
    const place = await started(undefined, ...past);
    connect(place.core, place.clock.now(), '[2001:db8:1:2::a]', '[2001:db8:1:2:ffff::1]', '@', 'not-an-address');
    for (let i = 0; i < 10; i += 1) await place.wait(POLL);
    connect(place.core, place.clock.now(), `[::ffff:${A}]`, A);
    for (let i = 0; i < 10; i += 1) await place.wait(POLL);
    expect(place.data(...types)).toStrictEqual([]);
    connect(place.core, place.clock.now(), A, '[2001:db8:1:2::a]');
    for (let i = 0; i < 10; i += 1) await place.wait(POLL);
    expect(place.data(...types)).toStrictEqual([said(['2001:db8:1:2::/64'], [A])]);
  });

  it('has one event, however long three addresses stay connected', async () => {
    const place = await crowded();
    connect(place.core, place.clock.now(), A, B, C);
    for (let i = 0; i < 60; i += 1) await place.wait(POLL);
    expect(place.data(...types).slice(1)).toStrictEqual([said([C], [A, B])]);
  });
});

describe('a blocked address', () => {
  it('stays blocked after a restart of the core and in an adopted core', async () => {
    const place = await crowded();
    place.core.seen();
    place.core.crash('killed');
    await place.wait(1_100);
    const calls = place.core.seen();
    expect(calls.filter((call) => /^(start|block)/.test(call))).toStrictEqual(['start in-1', `block in-1 alice ${A}`]);

    await place.close(true);
    place.core.seen();
    await place.open();
    expect(holding(place.core.seen())).toStrictEqual([`block in-1 alice ${A}`]);
    connect(place.core, place.clock.now(), B);
    for (let i = 0; i < 10; i += 1) await place.wait(POLL);
    expect(place.data(...types)).toHaveLength(1);
  });

  it('is allowed when the kept address did not return after a restart of the panel', async () => {
    const place = await crowded();
    await place.close(true);
    connect(place.core, place.clock.now());
    await place.open();
    for (let i = 0; i < 6; i += 1) await place.wait(POLL);
    expect(place.data(...types)).toHaveLength(1);
    for (let i = 0; i < 2; i += 1) await place.wait(POLL);
    expect(place.data(...types).slice(1)).toStrictEqual([{ client: 1, reason: 'left' }]);
  });

  it('is sent again to a core that did not accept it', async () => {
    const place = await started(undefined, ...past);
    place.core.fail.set('block', new CoreError('unreachable', verbatim('no answer')));
    connect(place.core, place.clock.now(), A, B);
    for (let i = 0; i < 9; i += 1) await place.wait(POLL);
    expect(place.warnings).toContain('the blocked addresses could not be sent to the core');
    expect(holding(place.core.seen()).filter((call) => call.startsWith('block'))).toStrictEqual([
      `block in-1 alice ${A}`,
      `block in-1 alice ${A}`,
    ]);
  });

  it('does not exist for a client without a limit', async () => {
    const place = await started(undefined, addInbound(1), addClients(alice, bob));
    connect(place.core, place.clock.now(), A, B, C);
    for (let i = 0; i < 20; i += 1) await place.wait(POLL);
    expect(place.data(...types)).toStrictEqual([]);
    expect(holding(place.core.seen())).toStrictEqual([]);
  });
});
