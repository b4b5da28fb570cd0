import { describe, expect, it } from 'vitest';
import { panelState } from '../../../src/commands/state.js';
import { addressLimit, blockedClients, type SeenAddress } from '../../../src/commands/traffic/ip-limit.js';
import {
  ClientDeleted,
  ClientReactivated,
  ClientTrafficReset,
  ClientUpdated,
} from '../../../src/events/client/client.js';
import { ClientIpsCleared } from '../../../src/events/client/client-ips.js';
import { NodeId } from '../../../src/events/ids.js';
import { ClientIpsBlocked, ClientIpsUnblocked } from '../../../src/events/ip-limit.js';
import { loadedState, savedState } from '../../../src/events/log/fold.js';
import { SettingsChanged } from '../../../src/events/settings/settings.js';
import { MeasurementsRolledUp } from '../../../src/events/traffic/traffic.js';
import {
  caused,
  clientAdded,
  clientNumber,
  draft,
  first,
  HOUR,
  inboundAdded,
  inboundId,
  one,
  otherInbound,
  second,
  T0,
  two,
} from '../../kit/builders.js';
import { at, folded, given } from '../../kit/spec.js';

const [A, B, C] = ['198.51.100.1', '198.51.100.2', '2001:db8:1:2::/64'];
const limited = (limitIp = 1) => draft('alice', 1, { spec: { limitIp } });
const past = (limitIp = 1) => [inboundAdded(), clientAdded(limited(limitIp))] as const;

/** Times are seconds before the poll. */
const seen = (address: string, since: number, { ago = 0, here = true, unheard = false } = {}): SeenAddress => ({
  address,
  since: T0 - since * 1000,
  seen: T0 - ago * 1000,
  here: here && ago === 0,
  silenceUnknown: unheard,
});
const poll = (...addresses: readonly SeenAddress[]) =>
  ({ type: 'LimitAddresses', data: { at: T0, people: [{ email: 'Alice', addresses }] } }) as const;
const hold = (allowed: string[], blocked: string[], over: object = {}) =>
  ClientIpsBlocked({
    ...{ client: first, limit: 1, keep: 'newest' as const, graceSeconds: 30 },
    ips: { allowed, blocked },
    ...over,
  });
const unblocked = (reason: 'left' | 'changed' | 'reset' | 'cleared', client = first) =>
  ClientIpsUnblocked({ client, reason });

describe('addresses above the limit', () => {
  it('are blocked after the grace period', () => {
    given(...past())
      .when(poll(seen(A, 600), seen(B, 29)))
      .thenNothing();
    given(...past())
      .when(poll(seen(A, 600), seen(B, 30)))
      .then(hold([B], [A]));
  });

  it('are added to a long list at intervals that grow with its length', () => {
    const many = Array.from({ length: 150 }, (_, i) => `203.0.${i >> 8}.${i & 255}`);
    const now = poll(seen(A, 600), seen(B, 40), ...many.map((address) => seen(address, 500)));
    given(...past(), at(T0 - 99_000, hold([A], many)))
      .when(now)
      .thenNothing();
    given(...past(), at(T0 - 100_000, hold([A], many)))
      .when(now)
      .then(hold([B], [...many, A]));
    given(...past(), at(T0 - 1000, hold([A], many.slice(0, 50))))
      .when(poll(seen(A, 600), seen(B, 40)))
      .then(hold([B], [...many.slice(0, 50), A]));
  });

  it('are the newest ones if the settings keep the oldest', () => {
    given(...past(), SettingsChanged({ changes: { ipLimitKeep: 'oldest', ipLimitGraceSeconds: 5 } }))
      .when(poll(seen(B, 5), seen(A, 600)))
      .then(hold([A], [B], { keep: 'oldest', graceSeconds: 5 }));
  });

  it('are the oldest ones in spite of the setting if it is unknown whether these are still connected', () => {
    const oldest = [...past(), SettingsChanged({ changes: { ipLimitKeep: 'oldest' } })] as const;
    given(...oldest)
      .when(poll(seen(A, 600, { unheard: true }), seen(B, 60)))
      .then(hold([B], [A]));
    given(...oldest)
      .when(poll(seen(A, 600), seen(B, 60, { unheard: true })))
      .then(hold([A], [B], { keep: 'oldest' }));
  });

  it('have a grace period of at least five seconds, even if an older release stored a shorter one', () => {
    given(...past(), SettingsChanged({ changes: { ipLimitGraceSeconds: 2 } }))
      .when(poll(seen(A, 600), seen(B, 4)))
      .thenNothing();
    given(...past(), SettingsChanged({ changes: { ipLimitGraceSeconds: 2 } }))
      .when(poll(seen(A, 600), seen(B, 5)))
      .then(hold([B], [A], { graceSeconds: 5 }));
  });

  it('do not include idle or disconnected ones after a change of network', () => {
    given(...past())
      .when(poll(seen(A, 600, { ago: 20 }), seen(B, 100)))
      .thenNothing();
    given(...past())
      .when(poll(seen(A, 600, { here: false }), seen(B, 100)))
      .thenNothing();
  });

  it('do not exist at or below the limit, or without a limit', () => {
    given(...past(0))
      .when(poll(seen(A, 600), seen(B, 600)))
      .thenNothing();
    given(...past(2))
      .when(poll(seen(A, 600), seen(B, 600)))
      .thenNothing();
    given(...past(2))
      .when(poll(seen(A, 300), seen(B, 200), seen(C, 100)))
      .then(hold([B, C], [A], { limit: 2 }));
  });

  it('are ignored for an unknown email', () => {
    given(inboundAdded())
      .when(poll(seen(A, 600), seen(B, 600)))
      .thenNothing();
  });

  it('are counted over all inbounds of an email, and blocked by the limit of each client', () => {
    const shared = (n: number, limitIp: number) =>
      draft('alice', n, { spec: { limitIp }, identity: { subId: 'person' } });
    const third = clientNumber(3);
    given(
      ...[inboundAdded(), otherInbound(), inboundAdded({ id: inboundId(3), spec: { tag: 'in-3', port: 1 } })],
      clientAdded(shared(1, 1)),
      clientAdded(shared(2, 0), second, two),
      clientAdded(shared(3, 2), third, inboundId(3)),
    )
      .when(poll(seen(A, 300), seen(B, 200), seen(C, 100)))
      .then(hold([C], [A, B]), hold([B, C], [A], { client: third, limit: 2 }));
  });

  it('are not blocked here for a client on a node', () => {
    given(inboundAdded({ node: NodeId.parse(1) }), clientAdded(limited()))
      .when(poll(seen(A, 600), seen(B, 600)))
      .thenNothing();
  });
});

describe('blocked addresses', () => {
  const held = [...past(), hold([B], [A])] as const;

  it('stay blocked while the allowed ones are connected, which is recorded once', () => {
    given(...held)
      .when(poll(seen(A, 600), seen(B, 300)))
      .thenNothing();
    given(...held)
      .when(poll(seen(B, 300, { ago: 30 })))
      .thenNothing();
  });

  it('are unblocked when an allowed one is gone for longer than the grace period', () => {
    given(...held)
      .when(poll(seen(A, 600), seen(B, 300, { ago: 31 })))
      .then(unblocked('left'));
    given(...held)
      .when(poll())
      .then(unblocked('left'));
  });

  it('stay blocked when another address takes the place of an allowed one', () => {
    given(...held)
      .when(poll(seen(C, 3)))
      .thenNothing();
  });

  it('include another address that connects later', () => {
    given(...held)
      .when(poll(seen(A, 600), seen(B, 300), seen(C, 30)))
      .then(hold([C], [A, B]));
  });

  it('are unblocked by another limit, by a reset and by clearing the recorded addresses', () => {
    const change = (limitIp: number) =>
      ({
        type: 'UpdateClient',
        data: { inbound: one, client: { email: 'alice' }, draft: limited(limitIp) },
      }) as const;
    for (const limitIp of [2, 0]) {
      given(...held)
        .when(change(limitIp))
        .then(ClientUpdated({ client: first, changes: { limitIp } }), unblocked('changed'));
    }
    given(...past())
      .when(change(2))
      .then(ClientUpdated({ client: first, changes: { limitIp: 2 } }));
    const switched = (enabled: boolean) => ClientUpdated({ client: first, changes: { enabled } });
    given(...held, switched(false))
      .when(change(1))
      .then(switched(true), unblocked('changed'));
    given(...held)
      .when({ type: 'ResetClientTraffic', data: { inbound: null, email: 'alice' } })
      .then(ClientTrafficReset({ client: first, up: 0, down: 0 }), caused(0, unblocked('reset')));
    given(...held)
      .when({ type: 'ClearClientIps', data: { email: 'alice' } })
      .then(ClientIpsCleared({ client: first }), unblocked('cleared'));
  });

  it('are unblocked once, and can be blocked again', () => {
    given(...held, unblocked('left'))
      .when(poll())
      .thenNothing();
    given(...held, unblocked('reset'))
      .when(poll(seen(A, 600), seen(B, 300)))
      .then(hold([B], [A]));
  });

  it('are recorded again before the log prunes the event, and forgotten when it is pruned', () => {
    const later = { ...poll(seen(B, 300)), data: { ...poll(seen(B, 300)).data, at: T0 + 24 * HOUR } };
    const still = seen(B, -24 * 3600 + 300, { ago: -24 * 3600 });
    for (const past of [held, [...held, SettingsChanged({ changes: { ipLimitKeep: 'oldest' } })]])
      given(...past)
        .when({ ...later, data: { at: T0 + 24 * HOUR, people: [{ email: 'alice', addresses: [still] }] } })
        // As it was decided.
        .then(hold([B], [A]));
    const rollUp = (toTime: number) =>
      MeasurementsRolledUp({
        fromPosition: 1,
        toPosition: 3,
        firstAt: T0,
        lastAt: toTime,
        digest: '',
        prunedCount: 1,
        sums: [],
        nodeSums: [],
      });
    expect(blockedClients(folded(panelState, ...held, rollUp(T0 - 1)))).toHaveLength(1);
    expect(blockedClients(folded(panelState, ...held, rollUp(T0)))).toStrictEqual([]);
  });

  it('are limited to the newest two thousand', () => {
    const many = Array.from({ length: 2100 }, (_, n) => seen(`10.0.${n >> 8}.${n & 255}`, 600 - n / 10));
    const names = many.map(({ address }) => address);
    given(...past())
      .when(poll(...many))
      .then(hold([names[2099] ?? ''], names.slice(99, 2099)));
  });

  it('are listed with the account name of the client in the core, until it is deleted', () => {
    expect(blockedClients(folded(panelState, ...held))).toStrictEqual([
      {
        client: first,
        email: 'alice',
        inbound: 'in-1',
        block: { limit: 1, keep: 'newest', allowed: [B], blocked: [A], at: T0 },
      },
    ]);
    expect(blockedClients(folded(panelState, ...held, ClientDeleted({ client: first, inbound: one })))).toStrictEqual(
      [],
    );
    const restored = folded(panelState, ...held, ClientReactivated({ client: first }));
    const loaded = loadedState(panelState, structuredClone(savedState(panelState, restored)));
    expect(blockedClients(loaded)).toStrictEqual(blockedClients(restored));
  });
});

it('the address limit of an email is the smallest of its clients on this machine', () => {
  const shared = (n: number, limitIp: number) => draft('bob', n, { spec: { limitIp }, identity: { subId: 'person' } });
  const state = folded(
    panelState,
    ...[inboundAdded(), otherInbound()],
    ...[clientAdded(shared(1, 5), first), clientAdded(shared(2, 3), second, two)],
    clientAdded(draft('carol', 3), clientNumber(3)),
  );
  expect(['BOB', 'carol', 'nobody'].map((email) => addressLimit(state, email))).toStrictEqual([3, 0, 0]);
});
