import { copyFileSync, existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BackupError } from '../../../src/commands/ports/backups.js';
import { verbatim } from '../../../src/messages/message.js';
import { completeSwitch } from '../../../src/store/generations.js';
import type { BackupWork } from '../../../src/worker/backup-jobs.js';
import { admin, DAY } from '../../kit/builders.js';
import { patch, work } from './kit.js';
import { panelWith } from './panel.js';

const never = (): Promise<never> => new Promise(() => undefined);

describe('a backup on request', () => {
  it('is a private file with a descriptive name, until it is removed', async () => {
    const { backups, own, unfinished, bus } = panelWith();
    const file = await backups.create();
    const { position } = own.log.head();
    expect(file).toMatchObject({ name: `portolan-2023-11-14-position-${position}.db`, position, sealed: false });
    expect(statSync(file.path)).toMatchObject({ size: file.bytes });
    expect(statSync(file.path).mode & 0o077).toBe(0);
    file.remove();
    file.remove();
    expect(unfinished()).toEqual([]);
    bus.must({ type: 'ChangeSettings', data: { changes: { backupPassphrase: 'sail by the stars' } } });
    const sealed = await backups.create();
    expect(sealed).toMatchObject({ sealed: true, name: expect.stringMatching(/-sealed\.db$/) });
    sealed.remove();
  });

  it.each([
    ['the state is replaced', { work: { stage: never } }, true],
    ['the panel restarts', { restarting: () => true }, false],
  ])('is rejected at once while %s', async (_, options, first) => {
    const { backups } = panelWith(options);
    if (first) void backups.replace({ path: '/x', requestedBy: admin });
    await expect(backups.create()).rejects.toThrow(/in progress/);
    await expect(backups.replace({ path: '/x', requestedBy: admin })).rejects.toMatchObject({ kind: 'busy' });
  });

  it('waits for the one before it', async () => {
    let [working, most] = [0, 0];
    const copy: BackupWork['copy'] = async (asked) => {
      working += 1;
      most = Math.max(most, working);
      return work.copy(asked).finally(() => (working -= 1));
    };
    const { backups, unfinished } = panelWith({ work: { copy } });
    const files = await Promise.all([backups.create(), backups.create(), backups.create()]);
    expect(new Set(files.map(({ path }) => path)).size).toBe(3);
    expect([most, unfinished().length]).toEqual([1, 3]);
    for (const file of files) file.remove();
  });

  it('works after a failed one and after a rejected replacement', async () => {
    const copy = vi.fn<BackupWork['copy']>(work.copy).mockRejectedValueOnce(new Error('The disk has too little room'));
    const stage = () => Promise.reject(new BackupError('refused', verbatim('It is no backup')));
    const { backups } = panelWith({ work: { copy, stage } });
    const [failed, replaced, made] = await Promise.allSettled([
      ...[backups.create(), backups.replace({ path: '/x', requestedBy: admin })],
      backups.create(),
    ]);
    expect([failed, replaced]).toMatchObject([{ reason: { kind: 'failed' } }, { reason: { kind: 'refused' } }]);
    expect(made).toMatchObject({ status: 'rejected', reason: { kind: 'busy' } });
    (await backups.create()).remove();
  });

  it('waits at most half a minute, and so do later ones', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let end = (): void => undefined;
    const stuck = new Promise<void>((resolve) => (end = resolve));
    const copy = vi.fn<BackupWork['copy']>(work.copy).mockImplementationOnce(async (asked) => {
      await stuck;
      return work.copy(asked);
    });
    const { backups } = panelWith({ work: { copy } });
    const first = backups.create();
    const second = backups.create().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await second).toMatchObject({ kind: 'busy' });
    const third = backups.create();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(copy).toHaveBeenCalledTimes(1);
    end();
    for (const file of await Promise.all([first, third])) file.remove();
  });

  it('reports why it failed', async () => {
    const { backups } = panelWith({ work: { copy: () => Promise.reject(new Error('The disk has too little room')) } });
    await expect(backups.create()).rejects.toEqual(new BackupError('failed', verbatim('The disk has too little room')));
  });
});

describe('a scheduled backup', () => {
  it('is kept after it was read back and its digests equal those of the panel', async () => {
    const { backups, own, appended, kept, unfinished } = panelWith();
    const { position } = own.log.head();
    const name = `portolan-2023-11-14-position-${position}.db`;
    expect(await backups.keep()).toMatchObject({ name, position, at: own.clock.now() });
    expect(kept()).toEqual([name]);
    expect(unfinished()).toEqual([]);
    const { size: bytes } = statSync(join(own.directory.backups, name));
    expect(appended()).toMatchObject([
      {
        type: 'BackupVerified',
        data: {
          name,
          position,
          bytes,
          encrypted: false,
          createdAt: own.clock.now(),
          comparedModels: expect.any(Number),
        },
        meta: { actor: { kind: 'system', name: 'backup' } },
      },
    ]);
    const [verified] = appended();
    expect(verified?.type === 'BackupVerified' && verified.data.comparedModels).toBeGreaterThan(8);
    expect(backups.latest()).toMatchObject({ last: { why: null }, lastGood: { name }, late: false });
    expect(backups.list()).toMatchObject([{ name, bytes }]);
  });

  it('is deleted if it is not good, and the log and the status have the reason', async () => {
    const { backups, appended, kept, unfinished } = panelWith({
      work: {
        async copy(job) {
          const copied = await work.copy(job);
          patch(job.file, (bytes) => bytes.subarray(0, bytes.length - 4096));
          return copied;
        },
      },
    });
    await expect(backups.keep()).rejects.toMatchObject({ kind: 'refused' });
    expect(appended()).toMatchObject([
      { type: 'BackupFailed', data: { reason: expect.objectContaining({ code: 'backup.cutShort' }) } },
    ]);
    expect([kept(), unfinished()]).toEqual([[], []]);
    expect(backups.latest()).toMatchObject({
      last: { why: expect.objectContaining({ code: 'backup.cutShort' }) },
      lastGood: null,
      late: true,
    });
  });

  it('is repeated if a key was destroyed meanwhile', async () => {
    let made = 0;
    const { backups, bus, appended } = panelWith({
      work: {
        async copy(job) {
          made += 1;
          if (made === 1) bus.must({ type: 'ChangeSettings', data: { changes: { ldapPassword: 'changed' } } });
          return work.copy(job);
        },
      },
    });
    await backups.keep();
    expect(made).toBe(2);
    expect(appended().at(-1)).toMatchObject({ type: 'BackupVerified' });
  });

  it('replaces the oldest one and no other file', async () => {
    const { backups, bus, own, kept } = panelWith();
    bus.must({ type: 'ChangeSettings', data: { changes: { backupKeep: 2 } } });
    const { backups: folder } = own.directory;
    const old = ['portolan-2023-01-01-position-5.db', 'portolan-2023-01-02-position-6-sealed.db'];
    const others = ['portolan-of-mine.db', 'notes.txt'];
    for (const [index, name] of [...old, ...others].entries()) {
      writeFileSync(join(folder, name), 'x');
      utimesSync(join(folder, name), index + 1, index + 1);
    }
    mkdirSync(join(folder, 'replaced-2023'));
    const { name } = await backups.keep();
    expect(kept()).toEqual([...others, 'replaced-2023', old[1] ?? '', name].toSorted());
  });

  it('is late when the last verified one is older than two periods', async () => {
    const { backups, own } = panelWith();
    expect(backups.latest().late).toBe(false);
    await backups.keep();
    own.clock.advance(1.9 * DAY);
    expect(backups.latest().late).toBe(false);
    own.clock.advance(0.2 * DAY);
    expect(backups.latest().late).toBe(true);
  });

  it('is never due and never late when backups are off', async () => {
    const { backups, bus, own } = panelWith();
    await backups.keep();
    bus.must({ type: 'ChangeSettings', data: { changes: { backupKeep: 0 } } });
    own.clock.advance(30 * DAY);
    expect(backups.latest()).toMatchObject({ next: null, late: false });
  });
});

describe('a file that replaces the state', () => {
  it('is recorded in the log, ends all changes by people, and is served by the next start', async () => {
    const one = panelWith();
    const file = await one.backups.create();
    one.bus.must({ type: 'ChangeSettings', data: { changes: { subTitle: 'Later' } } });
    const { generation, sha256, kept } = await one.backups.replace({ path: file.path, requestedBy: admin });
    expect(kept).toEqual([]);
    expect(one.appended().at(-1)).toMatchObject({
      type: 'StateReplaced',
      data: { source: 'portolan', sha256, newGeneration: generation },
      meta: { actor: admin },
    });
    expect([one.markReplaced.mock.calls.length, one.switchOver.mock.calls.length]).toEqual([1, 1]);
    one.own.log.close();
    expect(completeSwitch(one.own.directory)).toMatchObject({ outcome: 'switched' });
    expect(one.own.reopen().log.generation).toBe(generation);
    expect(one.own.all().at(-1)).toMatchObject({ type: 'StateImported', meta: { actor: admin } });
  });

  it('stays in its place when an operator has named it', async () => {
    const { backups, own, unfinished } = panelWith();
    const file = await backups.create();
    const mine = join(own.directory.root, 'mine.db');
    copyFileSync(file.path, mine);
    file.remove();
    await backups.replaceFrom(mine, '', admin);
    expect(existsSync(mine)).toBe(true);
    // The decided state, and nothing else.
    expect(unfinished()).toHaveLength(1);
    await expect(backups.replaceFrom('/nowhere', '', admin)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('changes nothing when it is rejected', async () => {
    const { backups, own, appended, unfinished, markReplaced, switchOver } = panelWith();
    const file = join(own.directory.root, 'file.db');
    writeFileSync(file, 'no database');
    await expect(backups.replaceFrom(file, '', admin)).rejects.toMatchObject({
      kind: 'refused',
      message: 'It is not an SQLite database',
    });
    expect([appended(), unfinished()]).toEqual([[], []]);
    expect([markReplaced.mock.calls.length, switchOver.mock.calls.length]).toEqual([0, 0]);
    expect(completeSwitch(own.directory)).toBeNull();
  });

  it('is rejected by a panel that is not restarted automatically', async () => {
    const { backups } = panelWith({ switchOver: null });
    const file = await backups.create();
    await expect(backups.replace({ path: file.path, requestedBy: admin })).rejects.toThrow(/cannot restart itself/);
    file.remove();
  });
});
