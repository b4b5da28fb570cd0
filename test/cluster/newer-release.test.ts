import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { chainHash, type EventRow, idText } from '../../src/adapters/sqlite/codec.js';
import { decodeBatch, encodeBatch } from '../../src/adapters/sqlite/replication/batch-codec.js';
import { LogReplication } from '../../src/adapters/sqlite/replication/log-replication.js';
import type { Batch } from '../../src/commands/ports/cluster.js';
import type { TestLog } from '../kit/log.js';
import { withoutNats } from '../kit/real/nats/server.js';
import { until } from '../kit/wait.js';
import { addClient, logLike, startCluster, startMember, storeOf } from './members.js';

type Change = Pick<Partial<EventRow>, 'type' | 'schema'> & { readonly format?: number };

/** The batch after a position, as a later release writes it: with another type or schema of its last event, or another format. */
function laterBatch(log: TestLog, after: number, { format, ...change }: Change): Batch {
  const replica = new LogReplication(log.log);
  const batch = replica.batchAfter(after);
  if (batch === null) throw new Error('the log ends there');
  const { rows, ...rest } = decodeBatch(batch.body, batch.first);
  const last = { ...(rows.at(-1) as EventRow), ...change, id: randomBytes(16) };
  const hash = chainHash(Buffer.from(replica.hashAt(last.position - 1) ?? '', 'hex'), last);
  const body = encodeBatch({ rows: [...rows.slice(0, -1), { ...last, hash }], ...rest });
  const later = format ? Buffer.from(JSON.stringify({ format, events: 'in another form' })) : body;
  return { first: batch.first, last: batch.last, hash: hash.toString('hex'), id: idText(last.id), body: later };
}

describe.skipIf(withoutNats('an older release in a cluster'))('a member of an older release', () => {
  it.each([
    ['an event', { type: 'ClientTeleported' }],
    ['a schema', { schema: 99 }],
    ['a format', { format: 99 }],
  ])('stops at %s that it does not know, serves what it has, and never leads', async (_, change) => {
    const { url } = await startCluster();
    const { stream, lease, keys } = await storeOf(url, 'newer');
    await lease.take();
    const author = logLike();
    for (let n = 1; n <= 3; n += 1) addClient(author, n);
    const old = await startMember(url, 'old', logLike(author));
    const replica = new LogReplication(author.log);
    const ids = author.log.stored.keyIds();
    await keys.put(new Map(ids.map((id) => [id, replica.wrappedKey(id) as Buffer])));
    const known = replica.batchAfter(0, 2);
    if (known === null) throw new Error('the log is empty');
    await stream.publish(known, 0);
    await stream.publish(laterBatch(author, 2, change), 1);

    await until('it has stopped', () => old.member.state.unknownAt === 3);
    expect(old.log.all()).toEqual(author.all().slice(0, 2));
    expect(old.member.state).toMatchObject({ role: 'follower', leader: 'newer', position: 2, sequence: 1 });
    await lease.release();
    await until('it has seen that nobody leads', () => old.member.state.leader === null);
    expect(await lease.take()).toBe(true);
    expect([old.restarts, old.led()]).toEqual([[], 0]);
  });
});
