import { Subject } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BackupError, type BackupStatus, type KeptBackup } from '../../../../src/commands/ports/backups.js';
import { BackupTimer } from '../../../../src/commands/reactors/backup/backup-timer.js';
import { BackupVerified } from '../../../../src/events/backup.js';
import type { RecordedEvent } from '../../../../src/events/catalog.js';
import { defaultSettings, type Settings, SettingsChanged } from '../../../../src/events/settings/settings.js';
import { type Alarm, Alarms } from '../../../../src/lib/alarms.js';
import { message } from '../../../../src/messages/message.js';
import { HOUR, T0 } from '../../../kit/builders.js';
import { recorded } from '../../../kit/spec.js';

const fine: BackupStatus = { last: null, lastGood: null, next: T0, late: false };
const good = { at: T0, name: 'a', position: 1, bytes: 1, sealed: false };

function timer() {
  let settings: Settings = { ...defaultSettings, backupSchedule: '@every 1h' };
  let status: BackupStatus = fine;
  const keep = vi.fn<() => Promise<KeptBackup>>(async () => good);
  const changed$ = new Subject<readonly RecordedEvent[]>();
  const alarms = new Alarms();
  const raised: Alarm[] = [];
  alarms.raised$.subscribe((alarm) => raised.push(alarm));
  const own = new BackupTimer({
    backups: { keep, latest: () => status },
    settings: () => settings,
    changed$,
    alarms,
    warn: () => undefined,
  });
  own.begin();
  return {
    ...{ keep, raised, own },
    is: (next: Partial<BackupStatus>): void => void (status = { ...status, ...next }),
    set: (changes: Partial<Settings>): void => {
      settings = { ...settings, ...changes };
      changed$.next(recorded([SettingsChanged({ changes })]));
    },
    verified: () =>
      changed$.next(
        recorded([
          BackupVerified({ name: 'a', position: 1, bytes: 1, createdAt: T0, encrypted: false, comparedModels: 1 }),
        ]),
      ),
  };
}

describe('the timer of backups', () => {
  beforeEach(() => void vi.useFakeTimers({ now: T0 }));
  afterEach(() => void vi.useRealTimers());

  it('creates one on time, by the current schedule', async () => {
    const { keep, set, own } = timer();
    await vi.advanceTimersByTimeAsync(2.5 * HOUR);
    expect(keep).toHaveBeenCalledTimes(2);
    set({ backupSchedule: '@every 10m' });
    await vi.advanceTimersByTimeAsync(HOUR / 2);
    expect(keep).toHaveBeenCalledTimes(5);
    set({ backupKeep: 0 });
    await vi.advanceTimersByTimeAsync(5 * HOUR);
    expect(keep).toHaveBeenCalledTimes(5);
    own.stop();
  });

  it('retries soon when another one is running, and stops with the panel', async () => {
    const { keep, own } = timer();
    keep.mockRejectedValue(new BackupError('busy', message('BACKUP_BUSY')));
    await vi.advanceTimersByTimeAsync(HOUR + 10 * 60_000);
    expect(keep).toHaveBeenCalledTimes(3);
    own.stop();
    await vi.advanceTimersByTimeAsync(5 * HOUR);
    expect(keep).toHaveBeenCalledTimes(3);
  });

  it('creates a missed one a minute after the start', async () => {
    const { keep, is, own } = timer();
    is({ late: true, lastGood: good });
    await vi.advanceTimersByTimeAsync(61_000);
    expect(keep).toHaveBeenCalledTimes(1);
    own.stop();
  });

  it('raises one alarm while the last verified one is too old', async () => {
    const { raised, is, verified, own } = timer();
    is({ late: true, lastGood: good });
    for (let i = 0; i < 3; i += 1) own.check();
    expect(raised).toEqual([
      {
        title: message('backup.late'),
        body: message('backup.lastGood', { at: Date.UTC(2023, 10, 14, 22, 13, 20) }),
        severity: 'error',
      },
    ]);
    is({ late: false });
    verified();
    is({ late: true, lastGood: null });
    own.check();
    expect(raised).toHaveLength(2);
    own.stop();
  });
});
