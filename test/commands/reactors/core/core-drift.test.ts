import { describe, expect, it, vi } from 'vitest';
import { alice, bob, draft } from '../../../kit/builders.js';
import { addClients, addInbound, started } from '../kit.js';
import type { FakeCore } from './fake-core.js';

const past = [addInbound(1), addClients(alice, bob)] as const;
const fresh = (core?: FakeCore) => started(core, ...past);

describe('the periodic comparison', () => {
  it('adds an inbound that the core has lost', async () => {
    const place = await fresh();
    place.core.listening.delete('in-1');
    await place.wait(60_000);
    expect(place.core.seen()).toStrictEqual(['addInbound in-1']);
    expect(place.data('CoreDriftRepaired')).toStrictEqual([{ inboundTags: ['in-1'], clientCount: 0 }]);
  });

  it('does not undo a change that is made meanwhile', async () => {
    const place = await fresh();
    place.core.listening.delete('in-1');
    place.clock.advance(60_000);
    // The look is under way when the client is added.
    vi.advanceTimersByTime(60_000);
    await Promise.resolve();
    place.must(addClients(draft('carol', 3)));
    await place.calm();
    expect(place.core.served['in-1']).toContain('carol');
  });

  it('adds accounts that the core has lost, and disconnects unknown ones', async () => {
    const place = await fresh();
    place.core.listening.get('in-1')?.users.delete(1);
    place.core.listening.get('in-1')?.users.set(99, { client: 99, email: 'mallory', account: {} });
    for (let i = 0; i < 6; i += 1) await place.wait(60_000);
    expect(place.core.served).toStrictEqual({ 'in-1': ['bob', 'alice'] });
    expect(place.core.runs).toBe(1);
  });
});
