import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Actor } from '../../../src/events/log/event.js';
import type { BackupWork } from '../../../src/worker/backup-jobs.js';
import { PanelRestoreChecks } from '../../../src/worker/restore-checks.js';
import { admin } from '../../kit/builders.js';
import { temporaryFolder } from '../../kit/log.js';
import { HANG_MS } from '../../kit/wait.js';
import { backUp, work } from './kit.js';
import { panelWith } from './panel.js';

const OTHER: Actor = { kind: 'user', id: '99', name: 'other', ip: null };

const WAIT = { timeout: HANG_MS };

async function start(over: Partial<BackupWork> = {}) {
  const phases: string[] = [];
  const stage: BackupWork['stage'] = (job, follow) =>
    work.stage(job, (progress) => {
      phases.push(`${progress.phase} ${progress.done}/${progress.total}`);
      follow?.(progress);
    });
  const panel = panelWith({ work: { stage, ...over } });
  const { own, backups } = panel;
  const checks = new PanelRestoreChecks({ backups, directory: own.directory, now: own.clock.now });
  const made = backUp(own);
  /** A file as the server has received it. */
  const upload = (file = made.file): string => {
    const path = join(temporaryFolder(), 'upload.db');
    copyFileSync(file, path);
    return path;
  };
  const finished = (of = admin) =>
    vi.waitFor(() => {
      const check = checks.current(of);
      expect(check?.outcome).not.toBeNull();
      return check;
    }, WAIT);
  return { ...panel, checks, made, upload, finished, phases };
}

describe('the check of a file before a restore', () => {
  it('reports what the file contains, and changes nothing', async () => {
    const { checks, made, upload, finished, phases, appended, switchOver, own } = await start();
    const begun = checks.begin({ path: upload(), requestedBy: admin });
    expect(begun).toMatchObject({ name: null, progress: { phase: 'waiting' }, outcome: null });
    expect(await finished()).toMatchObject({
      id: begun.id,
      outcome: {
        ready: {
          kind: 'portolan',
          report: null,
          origin: { generation: own.log.generation, position: made.position, release: '1.2.3' },
          contents: { inbounds: 1, clients: 1, nodes: 0, admins: 1, basePath: '/' },
        },
      },
    });
    expect(phases[0]).toBe('reading 0/0');
    expect(phases).toContain(`verifying ${made.position}/${made.position}`);
    expect(phases.at(-1)).toBe('preparing 0/0');
    expect([appended(), switchOver.mock.calls]).toEqual([[], []]);
  });

  it('replaces the state by exactly that result when it is confirmed', async () => {
    const { checks, upload, finished, appended, switchOver, markReplaced } = await start();
    const { id } = checks.begin({ path: upload(), requestedBy: admin });
    const check = await finished();
    const done = await checks.confirm(id, admin);
    expect(check?.outcome).toEqual({ ready: done });
    expect(appended()).toMatchObject([
      { type: 'StateReplaced', data: { sha256: done.sha256, newGeneration: done.generation }, meta: { actor: admin } },
    ]);
    expect([switchOver.mock.calls.length, markReplaced.mock.calls.length]).toEqual([1, 1]);
    expect(checks.current(admin)).toBeNull();
    await expect(checks.confirm(id, admin)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('refuses a file that is no backup, and leaves nothing behind', async () => {
    const { checks, finished, unfinished, appended } = await start();
    const path = join(temporaryFolder(), 'upload.db');
    writeFileSync(path, 'certainly no database');
    checks.begin({ path, requestedBy: admin });
    expect(await finished()).toMatchObject({ outcome: { refused: { code: 'backup.notSqlite' } } });
    await vi.waitFor(() => expect(unfinished()).toEqual([]), WAIT);
    expect(appended()).toEqual([]);
  });

  it('is of the admin who started it, and the only one', async () => {
    const { checks, upload, finished, unfinished } = await start();
    const { id } = checks.begin({ path: upload(), requestedBy: admin });
    expect(() => checks.begin({ path: upload(), requestedBy: OTHER })).toThrow(/in progress/);
    await finished();
    expect(checks.current(OTHER)).toBeNull();
    await expect(checks.confirm(id, OTHER)).rejects.toMatchObject({ kind: 'refused' });
    checks.discard(id, OTHER);
    expect(checks.current(admin)?.id).toBe(id);
    // A result that was not confirmed gives way.
    checks.begin({ path: upload(), requestedBy: OTHER });
    expect(checks.current(admin)).toBeNull();
    const second = await finished(OTHER);
    checks.discard(second?.id ?? '', OTHER);
    await vi.waitFor(() => expect(unfinished()).toEqual([]), WAIT);
  });

  it('is outdated when the settings change', async () => {
    const { checks, upload, finished, bus, switchOver } = await start();
    const { id } = checks.begin({ path: upload(), requestedBy: admin });
    await finished();
    bus.must({ type: 'ChangeSettings', data: { changes: { webPort: 4999 } } });
    await expect(checks.confirm(id, admin)).rejects.toMatchObject({ text: { code: 'backup.settingsChanged' } });
    expect(switchOver).not.toHaveBeenCalled();
  });

  it('reads a kept backup, also a sealed one, and no other file', async () => {
    const { checks, backups, finished, bus, kept } = await start();
    bus.must({ type: 'ChangeSettings', data: { changes: { backupPassphrase: 'sail by the stars' } } });
    const { name, position } = await backups.keep();
    checks.begin({ kept: name, requestedBy: admin });
    expect(await finished()).toMatchObject({ name, outcome: { ready: { origin: { position } } } });
    expect(kept()).toEqual([name]);
    for (const other of ['../events.db', '/etc/passwd', 'portolan-2023-11-14-position-999.db', ''])
      expect(() => checks.begin({ kept: other, requestedBy: admin })).toThrow(`Backup ${other} is not in the list`);
  });

  it('is not confirmed without a launcher that restarts the panel', async () => {
    const { own, upload, backups } = { ...(await start()), ...panelWith({ switchOver: null }) };
    const checks = new PanelRestoreChecks({ backups, directory: own.directory, now: own.clock.now });
    const { id } = checks.begin({ path: upload(), requestedBy: admin });
    await vi.waitFor(() => expect(checks.current(admin)?.outcome).not.toBeNull(), WAIT);
    await expect(checks.confirm(id, admin)).rejects.toThrow(/cannot restart itself/);
    expect(checks.current(admin)?.id).toBe(id);
  });
});
