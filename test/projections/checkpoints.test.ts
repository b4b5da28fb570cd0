import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CheckpointFile } from '../../src/adapters/sqlite/checkpoint-file.js';
import { checkpointVersion } from '../../src/projections/checkpoints.js';
import { Moments, readModelsAt } from '../../src/projections/moments.js';
import { LogReadModels } from '../../src/projections/read-models.js';
import { DAY, draft, inboundDraft, one, traffic, userId } from '../kit/builders.js';
import { playedLogs, steps } from '../kit/history/history.js';
import { busOver, TestLog } from '../kit/log.js';

const KEY = Buffer.alloc(32, 7);

/** Moments of a log with checkpoints after nearly every event. */
function momentsOf(log: TestLog['log'], folder: string) {
  const file = join(folder, 'checkpoints.db');
  const checkpoints = new CheckpointFile(file, { key: KEY, log, version: checkpointVersion() });
  return { checkpoints, file, moments: new Moments(log, () => performance.now(), { checkpoints, spacing: 50 }) };
}

const turn = async (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));
const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) await turn();
};

describe('a moment from a checkpoint', () => {
  it('equals a replay up to its position, for random histories, roll-ups and erasures', async () => {
    const played = playedLogs();
    await fc.assert(
      fc.asyncProperty(steps(40), steps(20), fc.array(fc.nat(), { minLength: 4, maxLength: 4 }), async (...given) => {
        const [first, second, positions] = given;
        const { journal, player, bus } = played();
        const { log, directory } = journal;
        const { moments, checkpoints } = momentsOf(log, directory.root);
        moments.follow(new LogReadModels(log));
        player.play(first);
        if (log.head().position > 0) await moments.after(log.head().position);
        player.play(second);
        bus.clock.advance(40 * DAY);
        player.dispatch({ type: 'EraseDeleted', data: {} });
        const head = log.head().position;
        for (const number of head === 0 ? [] : positions) {
          const position = 1 + (number % head);
          const { read } = await moments.after(position);
          expect(read.follower.digests()).toStrictEqual(readModelsAt(log, position).follower.digests());
        }
        checkpoints.close();
        log.close();
      }),
      { numRuns: 30 },
    );
  });

  it('equals a replay also when it was read before a roll-up of its range', async () => {
    const { journal, player } = playedLogs()();
    const { log, directory } = journal;
    const { moments } = momentsOf(log, directory.root);
    const step = (kind: 'traffic' | 'node' | 'wait' | 'rollUp') => ({ kind, a: 0, b: 0, c: 0 });
    player.play([step('traffic'), step('node')]);
    const position = log.head().position;
    await moments.after(position);
    player.play([step('traffic'), step('wait'), step('rollUp')]);
    const { read } = await moments.after(position);
    expect(read.follower.digests()).toStrictEqual(readModelsAt(log, position).follower.digests());
  });

  it('equals a replay with more clients than fit in a part, also through indexes that it makes later', async () => {
    const { journal, moments, must, head } = place();
    const clients = Array.from({ length: 1200 }, (_, n) =>
      draft(`many-${n}`, 10 + n, { spec: { capBytes: n % 3, flow: n === 700 ? 'xtls-rprx-vision' : '' } }),
    );
    must({ type: 'AddClients', data: { inbound: one, clients } });
    journal.append(
      traffic({ clients: clients.map((_, n) => [n + 3, n, 2 ** 40 + n]), inbounds: [[1, 5, 6]] }),
      traffic({ clients: [[900, 1, 1]] }),
    );
    const position = head();
    await moments.after(position);
    journal.append(traffic({ clients: [[901, 1, 1]] }));
    for (const at of [position, head()]) {
      const again = momentsOf(journal.log, journal.directory.root);
      const { read } = await again.moments.after(at);
      const replayed = readModelsAt(journal.log, at);
      expect(again.checkpoints.nearest(at)).toBeGreaterThan(position - 3);
      expect(read.follower.digests()).toStrictEqual(replayed.follower.digests());
      const client = replayed.clients.firstByEmail('many-900');
      const { clients: found } = read;
      const numbers = [found.bySubId(client?.identity.subId ?? ''), found.byId(client?.credential.id ?? '')];
      expect(numbers.map((all) => all.map(({ number }) => number))).toStrictEqual([[903], [903]]);
    }
  });

  it('reads the log only from the checkpoint on', async () => {
    const { journal, moments } = place();
    const { log } = journal;
    await moments.after(log.head().position);
    const read: number[] = [];
    const counting = { read: (from: number, limit: number) => (read.push(from), log.read(from, limit)) };
    const again = momentsOf(log, journal.directory.root).checkpoints;
    const others = new Moments({ ...counting, appended$: log.appended$ }, () => performance.now(), {
      checkpoints: again,
    });
    const { read: models, at } = await others.after(log.head().position);
    expect(read.every((from) => from > 0)).toBe(true);
    expect(models.clients.firstByEmail('ann')?.identity.email).toBe('ann');
    expect(at).toBe(journal.clock.now());
  });
});

function place() {
  const journal = new TestLog();
  const { must } = busOver(journal.log, journal.clock);
  must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
  must({ type: 'AddClients', data: { inbound: one, clients: [draft('ann', 1), draft('bob', 2)] } });
  const head = () => journal.log.head().position;
  return { journal, must, head, ...momentsOf(journal.log, journal.directory.root) };
}

describe('checkpoints', () => {
  it('keep nothing under a key after it was destroyed, and stay usable', async () => {
    const { journal, must, head, moments, checkpoints } = place();
    await moments.after(head());
    const position = checkpoints.nearest(head());
    must({ type: 'DeleteClient', data: { inbound: one, client: { email: 'bob' } } });
    await moments.after(head());
    const stored = () => checkpoints.nearest(head());
    journal.clock.advance(40 * DAY);
    must({ type: 'EraseDeleted', data: {} });
    await turns(10);
    const all = [position, stored()].flatMap((at) =>
      [...checkpoints.parts(at, () => false)].map(({ content }) => content.toString()),
    );
    expect(all.join('')).toContain('ann');
    expect(all.join('')).not.toContain('bob');
    expect(checkpoints.nearest(position)).toBe(position);
    const { read } = await moments.after(position);
    expect(read.clients.get(2)?.identity.email).toBe('erased-2');
  });

  it('are encrypted', async () => {
    const { head, moments, file } = place();
    await moments.after(head());
    expect(readFileSync(file).toString('latin1')).not.toContain('ann');
  });

  it('in the range of a roll-up are removed', async () => {
    const { checkpoints, journal } = place();
    const { log } = journal;
    for (const _ of checkpoints.save(2, [])) await turn();
    for (const _ of checkpoints.save(3, [])) await turn();
    checkpoints.remove(1, 2);
    expect([checkpoints.nearest(2), checkpoints.nearest(log.head().position)]).toStrictEqual([0, 3]);
  });

  it.each(['another version', 'another log', 'keys that were destroyed without it'])('of %s are not used', (what) => {
    const { checkpoints, journal, file, must } = place();
    const { log } = journal;
    for (const _ of checkpoints.save(3, [])) expect(_).toBeUndefined();
    checkpoints.close();
    if (what.startsWith('keys')) {
      must({ type: 'DeleteClient', data: { inbound: one, client: { email: 'bob' } } });
      journal.clock.advance(40 * DAY);
      must({ type: 'EraseDeleted', data: {} });
    }
    const version = what === 'another version' ? 'x' : checkpointVersion();
    const other = what === 'another log' ? new TestLog().log : log;
    expect(new CheckpointFile(file, { key: KEY, log: other, version }).nearest(3)).toBe(0);
  });

  it('are started again when the file is damaged', async () => {
    const { checkpoints, journal, file, head, moments } = place();
    await moments.after(head());
    checkpoints.close();
    writeFileSync(file, 'not a database, but something else entirely'.repeat(100));
    const again = new CheckpointFile(file, { key: KEY, log: journal.log, version: checkpointVersion() });
    expect(again.nearest(head())).toBe(0);
    for (const _ of again.save(3, [])) await turn();
    expect(again.nearest(head())).toBe(3);
  });
});
