import { array, asyncProperty, assert as check, integer } from 'fast-check';
import { Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/events/catalog.js';
import { FollowerTooSlow, follow } from '../../src/events/log/follow.js';
import { PanelStarted } from '../../src/events/panel.js';
import { TestLog } from '../kit/log.js';

const some = (count: number) => Array.from({ length: count }, (_, i) => PanelStarted({ version: String(i) }));
const positions = (events: readonly RecordedEvent[]) => events.map(({ position }) => position);
const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, i) => from + i);
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('a follower', () => {
  it('reads existing events in pages, then receives new ones', async () => {
    const journal = new TestLog();
    journal.append(...some(5));
    const batches = follow(journal.log, 0, { page: 2 });
    const next = async () => positions(((await batches.next()).value ?? []) as readonly RecordedEvent[]);
    expect([await next(), await next(), await next()]).toStrictEqual([[1, 2], [3, 4], [5]]);
    const live = next();
    await tick();
    journal.append(...some(2));
    expect(await live).toStrictEqual([6, 7]);
    await batches.return(undefined);
  });

  it('starts after the given position', async () => {
    const journal = new TestLog();
    journal.append(...some(5));
    const batches = follow(journal.log, 3);
    expect(positions((await batches.next()).value ?? [])).toStrictEqual([4, 5]);
    await batches.return(undefined);
  });

  it('ends when the log is closed', async () => {
    const journal = new TestLog();
    const batches = follow(journal.log, 0);
    const last = batches.next();
    await tick();
    journal.log.close();
    expect(await last).toStrictEqual({ value: undefined, done: true });
  });

  it('ends on request while it waits, and unsubscribes from the log', async () => {
    const journal = new TestLog();
    const { appended$ } = journal.log;
    let listening = 0;
    const counted = new Observable<readonly RecordedEvent[]>((subscriber) => {
      listening += 1;
      const subscription = appended$.subscribe(subscriber);
      return () => {
        listening -= 1;
        subscription.unsubscribe();
      };
    });
    const log = { read: journal.log.read.bind(journal.log), appended$: counted };
    const over = new AbortController();
    const batches = follow(log, 0, { signal: over.signal });
    const last = batches.next();
    await tick();
    expect(listening).toBe(1);
    over.abort();
    expect(await last).toStrictEqual({ value: undefined, done: true });
    expect(listening).toBe(0);
    expect(await follow(log, 0, { signal: over.signal }).next()).toStrictEqual({ value: undefined, done: true });
  });

  it('receives each event exactly once, however appends and reads interleave', async () => {
    await check(
      asyncProperty(array(integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 12 }), async (sizes) => {
        const journal = new TestLog();
        journal.append(...some(4));
        const seen: number[] = [];
        const reading = (async () => {
          for await (const events of follow(journal.log, 0, { page: 3 })) {
            seen.push(...positions(events));
            await tick();
          }
        })();
        for (const size of sizes) {
          if (size === 0) await tick();
          else journal.append(...some(size));
        }
        const last = journal.log.head().position;
        for (let i = 0; i < 50 && seen.length < last; i += 1) await tick();
        for (let i = 0; i < 3; i += 1) await tick();
        journal.log.close();
        await reading;
        expect(seen).toStrictEqual(upTo(last));
      }),
      { numRuns: 25 },
    );
  });

  it('is disconnected when too many events are pending, with its last position', async () => {
    const journal = new TestLog();
    const batches = follow(journal.log, 0, { waiting: 10 });
    const first = batches.next();
    await tick();
    journal.append(...some(9));
    journal.append(...some(5)); // 10 to 14 are too many
    journal.append(...some(1)); // 15 would fit, but 10 to 14 are missing before it
    expect(positions((await first).value ?? [])).toStrictEqual(upTo(9));
    const failure = await batches.next().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(FollowerTooSlow);
    expect((failure as FollowerTooSlow).position).toBe(9);
  });

  it('is disconnected too when it stops reading pending events', async () => {
    const journal = new TestLog();
    const batches = follow(journal.log, 0, { waiting: 3 });
    const first = batches.next();
    await tick();
    journal.append(...some(1));
    expect(positions((await first).value ?? [])).toStrictEqual([1]);
    journal.append(...some(2));
    journal.append(...some(2));
    await expect(batches.next()).rejects.toMatchObject({ name: 'FollowerTooSlow', position: 1 });
  });

  it('can continue from its last position', async () => {
    const journal = new TestLog();
    const batches = follow(journal.log, 0, { waiting: 2 });
    const failed = batches.next();
    await tick();
    journal.append(...some(3));
    await expect(failed).rejects.toThrow(new FollowerTooSlow(0).message);
    const again = follow(journal.log, 0);
    expect(positions((await again.next()).value ?? [])).toStrictEqual([1, 2, 3]);
    await again.return(undefined);
  });

  it('delays no append if it never asks for the next events', async () => {
    const journal = new TestLog();
    const batches = follow(journal.log, 0, { waiting: 5 });
    void batches.next();
    await tick();
    for (let i = 0; i < 50; i += 1) journal.append(...some(1));
    expect(journal.log.head().position).toBe(50);
    await batches.return(undefined).catch(() => undefined);
  });
});
