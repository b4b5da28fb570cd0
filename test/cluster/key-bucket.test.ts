import { randomBytes } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectNats } from '../../src/adapters/nats/connection.js';
import { keyGroups, keyMark } from '../../src/commands/ports/cluster/keys.js';
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
  const found = async (stored: ReadonlyMap<string, Buffer>, group: string | null = null) => {
    const read = [...stored].map(async ([id, key]) => (await keys.get(id, keyMark(key), group))?.length ?? null);
    return new Set(await Promise.all(read));
  };
  return { url, keys, manager, sequence, found };
}

const nameOf = (keys: ReadonlyMap<string, Buffer>): string => [...keyGroups([...keys]).keys()][0] ?? '';

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
    await keys.destroy(['client:7']);
    expect(await found(new Map([...stored].slice(7, 8)))).toEqual(new Set([null]));
    expect((await keys.ids()).length).toBe(1199);
  });

  it('stores keys that were created together in one message, and takes destroyed ones out of it', async () => {
    const { keys, sequence, found } = await bucketOf();
    const stored = some(40);
    const name = nameOf(stored);
    const before = await sequence();
    await keys.putGroup(name, stored);
    await keys.putGroup(name, stored);
    expect(await sequence()).toBe(before + 1);
    expect(await found(stored, name)).toEqual(new Set([60]));
    // Two leaders that did not know of each other have created a key under one id.
    const other = new Map([['client:7', randomBytes(60)]]);
    await keys.putGroup(nameOf(other), other);
    expect((await keys.all('client:7')).length).toBe(2);

    await Promise.all([keys.destroy(['client:7', 'client:8']), keys.destroy(['client:9'])]);
    const [gone, left] = [new Map([...stored].slice(7, 10)), new Map([...stored].slice(10))];
    expect(await found(gone, name)).toEqual(new Set([null]));
    expect(await found(left, name)).toEqual(new Set([60]));
    expect(await found(other, nameOf(other))).toEqual(new Set([null]));
    expect(await keys.all('client:7')).toEqual([]);
    expect((await keys.ids()).length).toBe(37);
    await keys.destroy([...stored.keys()]);
    expect(await keys.ids()).toEqual([]);
    expect(await found(stored, name)).toEqual(new Set([null]));
  });

  it('finds a key that is alone or in another group than it should be, and one that another member has stored', async () => {
    const { url, keys, found } = await bucketOf();
    const stored = some(3);
    await keys.put(stored);
    expect(await found(stored, 'lost')).toEqual(new Set([60]));
    const moved = new Map([['client:9', randomBytes(60)]]);
    await keys.putGroup(nameOf(moved), moved);
    expect(await found(moved)).toEqual(new Set([60]));
    await keys.destroy(['client:0']);
    const { keys: others } = await storeOf(url, 'two');
    const other = new Map([['client:1', randomBytes(60)]]);
    await others.putGroup(nameOf(other), other);
    expect((await keys.all('client:1')).length).toBe(2);
    await keys.destroy(['client:1']);
    expect(await others.all('client:1')).toEqual([]);
  });
});
