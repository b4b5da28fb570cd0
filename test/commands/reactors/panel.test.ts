import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createPanel } from '../../../src/app/panel.js';
import { message } from '../../../src/messages/message.js';
import { admin, alice, bob, draft, HOUR, one } from '../../kit/builders.js';
import { eventually } from '../../kit/wait.js';
import { FakeCore } from './core/fake-core.js';
import { addClients, addInbound, started } from './kit.js';

const past = [addInbound(1), addClients(alice, bob)] as const;
const rotate = {
  type: 'UpdateClient',
  data: { inbound: one, client: { email: 'alice' }, draft: draft('alice', 9) },
} as const;

describe('a panel', () => {
  it('has the same state after a restart, with and without snapshots', async () => {
    const place = await started(undefined, ...past, rotate);
    place.core.counts = [{ kind: 'client', name: 1, up: 5, down: 0 }];
    await place.wait(5000);
    await place.close(true);
    const before = place.panel.store.digests();
    // The write state has two, and the desired state of the core none.
    expect(readdirSync(place.panel.directory.snapshots).length).toBe(Object.keys(before).length);
    const again = await createPanel({
      dataDir: place.root,
      version: '0',
      createCore: () => new FakeCore(),
      now: place.clock.now,
      warn: () => undefined,
      failed: () => undefined,
    });
    expect(again.store.digests()).toStrictEqual(before);
    await again.stop(true);
  });

  it('rejects a second one on its data directory', async () => {
    const place = await started();
    const second = createPanel({
      dataDir: place.root,
      version: '0',
      createCore: () => new FakeCore(),
      warn: () => undefined,
      failed: () => undefined,
    });
    await expect(second).rejects.toThrow(/another portolan process .*uses this data directory/);
    expect(
      place.panel.dispatch({ type: 'RestartCore', data: {} }, { actor: admin, correlationId: 'x' }),
    ).toHaveProperty('events');
  });

  it('deletes its snapshots when a key is destroyed, and writes new ones soon', async () => {
    const place = await started(undefined, ...past);
    await place.close(true);
    await place.open();
    const { snapshots } = place.panel.directory;
    expect(readdirSync(snapshots).length).toBeGreaterThan(5);
    place.must(rotate);
    expect(readdirSync(snapshots)).toStrictEqual([]);
    await place.wait(60_000);
    await eventually(() => expect(readdirSync(snapshots).length).toBeGreaterThan(5));
  });

  it('is read-only when events are missing, and does not change the files', async () => {
    const place = await started(undefined, ...past);
    await place.close(true);
    const { anchor } = place.panel.directory;
    const known = JSON.parse(readFileSync(anchor, 'utf8')) as { position: number };
    const evidence = JSON.stringify({ ...known, position: known.position + 3 });
    writeFileSync(anchor, evidence);
    const { position } = known;
    await place.open();
    expect(place.panel.store.startup.complaint).toStrictEqual(
      message('storage.anchorLost', { found: position, expected: position + 3, first: position + 1 }),
    );
    expect(place.panel.read.clients.firstByEmail('alice')).toBeDefined();
    expect(place.panel.dispatch({ type: 'RestartCore', data: {} }, { actor: admin, correlationId: 'x' })).toMatchObject(
      { code: 'STORAGE_READ_ONLY' },
    );
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob'] }); // the core keeps running
    await place.close(true);
    expect(readFileSync(anchor, 'utf8')).toBe(evidence);
    expect(place.panel.log.head().position).toBe(position);
  });

  it('rolls up and erases once an hour', async () => {
    const place = await started(undefined, ...past, {
      type: 'ChangeSettings',
      data: { changes: { eraseDeletedAfterDays: 0, measuredRetentionHours: 1 } },
    });
    place.core.counts = [{ kind: 'client', name: 1, up: 5, down: 0 }];
    await place.wait(5000);
    place.must({ type: 'DeleteClient', data: { inbound: one, client: { email: 'bob' } } });
    await place.wait(2 * HOUR);
    expect(place.data('DataKeyDestroyed')).toStrictEqual(
      ['client:2/1', 'client:2/addresses'].map((key) => ({ key, reason: 'erased' })),
    );
    expect(place.data('MeasurementsRolledUp')).toMatchObject([
      { prunedCount: 1, sums: [{ sum: { clients: [[1, 5, 0, place.clock.now() - 2 * HOUR]] } }] },
    ]);
    expect(existsSync(place.panel.directory.database)).toBe(true);
  });
});
