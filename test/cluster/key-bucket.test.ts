import { randomBytes } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectNats } from '../../src/adapters/nats/connection.js';
import { keyMark } from '../../src/commands/ports/cluster.js';
import { withoutNats } from '../kit/real/nats/server.js';
import { startCluster, storeOf } from './members.js';

const STREAM = 'KV_PORTOLAN_KEYS';
const some = (count: number): Map<string, Buffer> =>
  new Map(Array.from({ length: count }, (_, n) => [`client:${n}`, randomBytes(60)]));

async function bucketOf() {
  const { url } = await startCluster();
  const { keys } = await storeOf(url, 'one');
  const connection = await connectNats({ url, name: 'operator' });
  onTestFinished(() => connection.close());
  const manager = await jetstreamManager(connection);
  const sequence = async () => (await manager.streams.info(STREAM)).state.last_seq;
  const found = async (stored: ReadonlyMap<string, Buffer>) => {
    const read = [...stored].map(async ([id, key]) => (await keys.get(id, keyMark(key)))?.length ?? null);
    return new Set(await Promise.all(read));
  };
  return { keys, manager, sequence, found };
}

describe.skipIf(withoutNats('the bucket of keys'))('the bucket of keys', () => {
  it.each([
    ['takes many keys in batches', true],
    ['takes many keys one by one without batches', false],
  ])('%s', async (_, allow_atomic) => {
    const { keys, manager, sequence, found } = await bucketOf();
    await manager.streams.update(STREAM, { allow_atomic });
    const stored = some(1200);
    const before = await sequence();
    await keys.put(stored);
    expect(await sequence()).toBe(before + 1200);
    expect(await found(stored)).toEqual(new Set([60]));
    await keys.put(new Map([...stored].slice(0, 10)));
    expect(await found(stored)).toEqual(new Set([60]));
    await keys.destroy('client:7');
    expect(await found(new Map([...stored].slice(7, 8)))).toEqual(new Set([null]));
    expect((await keys.ids()).length).toBe(1199);
  });
});
