import { expect, it, onTestFinished, vi } from 'vitest';
import { alice, bob } from '../../../kit/builders.js';
import { addClients, addInbound, started } from '../kit.js';

it('a wait for the core ends with its limit while a change has not ended', async () => {
  const place = await started(undefined, addInbound(1), addClients(alice));
  let finish = (): void => undefined;
  const held = new Promise<void>((resolve) => (finish = resolve));
  onTestFinished(() => finish());
  const { add } = place.core.users;
  vi.spyOn(place.core.users, 'add').mockImplementation(async (...asked) => {
    await held;
    return add(...asked);
  });
  place.must(addClients(bob));
  const { settledWithin } = place.panel.reactors;
  let ended = false;
  const waiting = settledWithin(1000).then(() => (ended = true));
  await vi.advanceTimersByTimeAsync(999);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
  finish();
  await place.calm();
});
