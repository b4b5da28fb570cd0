import { describe, expect, it } from 'vitest';
import type { AnyCommand } from '../../../../src/commands/catalog.js';
import { type Core, type CoreConfig, CoreError, type CoreRun } from '../../../../src/commands/ports/core.js';
import { type CoreVersions, ReleaseError } from '../../../../src/commands/ports/releases.js';
import { CoreInstall } from '../../../../src/commands/reactors/releases/core-install.js';
import { Rejection, reject } from '../../../../src/commands/rejection.js';
import { firstEvent } from '../../../../src/events/log/first-event.js';
import { verbatim } from '../../../../src/messages/message.js';
import { admin } from '../../../kit/builders.js';
import { FakeCore } from '../core/fake-core.js';
import { type Place, started } from '../kit.js';

/** A core whose executable is named by its version. */
class VersionedCore extends FakeCore {
  executable: string | null = '1.0.0';
  /** Versions that do not start. */
  readonly dead = new Set<string>();
  override readonly binary: Core['binary'] = {
    version: () => Promise.resolve(this.executable ?? ''),
    use: (binary) => void (this.executable = binary),
    trial: (binary) => this.trials(binary),
  };
  override trials = (binary: string): Promise<string | null> => Promise.resolve(binary);

  override async start(config: CoreConfig): Promise<CoreRun> {
    const version = this.executable ?? '';
    if (this.dead.has(version)) throw new CoreError('refused', verbatim(`${version} broke down`));
    const run = { ...(await super.start(config)), version };
    this.run = run;
    return run;
  }
}

/** A data directory without files. */
class FakeVersions implements CoreVersions {
  fixedBy: string | null = null;
  tags: readonly string[] | null = ['v2.0.0', 'v1.5.0'];
  here: string[] = ['1.0.0'];
  choice: string | null = '1.0.0';
  discarded = 0;
  tidied = 0;

  available = (): Promise<readonly string[]> =>
    this.tags === null
      ? Promise.reject(new ReleaseError(verbatim('example.com could not be reached')))
      : Promise.resolve(this.tags);
  installed = (): readonly string[] => this.here;
  chosen = (): string | null => this.choice;
  stage = (version: string) =>
    Promise.resolve({
      binary: version,
      sha256: `sha of ${version}`,
      install: () => Promise.resolve(void (this.here = [...new Set([...this.here, version])])),
      discard: () => Promise.resolve(void (this.discarded += 1)),
    });
  receive = (): Promise<never> => Promise.reject(new ReleaseError(verbatim('it is alone')));
  keep = (version: string | null): Promise<string | null> => Promise.resolve(version);
  choose = (version: string | null): string | null => {
    this.choice = version;
    return version ?? 'outside';
  };
  remove = (version: string): void => void (this.here = this.here.filter((one) => one !== version));
  removeUnfinished = (): void => void (this.tidied += 1);
}

const TYPES = [
  'CoreVersionInstalled',
  'CoreVersionRolledBack',
  'CoreInstallFailed',
  'CoreRestartRequested',
  'CoreStarted',
  'CoreStopped',
  'CoreFailed',
] as const;

async function ready() {
  const core = new VersionedCore();
  const place = await started(core);
  const versions = new FakeVersions();
  const install = installOf(place, core, versions);
  place.panel.read.changed$.subscribe((events) => install.onEvents(events));
  const mark = place.panel.log.head().position;
  return {
    core,
    place,
    versions,
    install,
    requestInstall: async (version: string) => {
      const done = await install.install(version, byAdmin(place));
      await place.calm();
      return done instanceof Rejection ? done.code : done;
    },
    happened: () =>
      place
        .events(...TYPES)
        .filter(({ position }) => position > mark)
        .map(({ type }) => type),
  };
}

const byAdmin = (place: Place) => (command: AnyCommand) =>
  place.panel.dispatch(command, { actor: admin, correlationId: 'test' });

function installOf({ panel, warnings }: Place, core: VersionedCore, versions: CoreVersions): CoreInstall {
  return new CoreInstall({
    core,
    versions,
    choice: () => panel.read.records.core().choice,
    wanted: () => panel.read.records.core().process.wanted,
    config: () => ({ template: {}, inbounds: new Map() }),
    dispatch: (command) => panel.dispatch(command, { actor: admin, correlationId: 'versions' }),
    outcome: (position, types, ms) => firstEvent(panel.log, position, types, ms),
    warn: (message) => warnings.push(message),
  });
}

const CHANGED = ['CoreVersionInstalled', 'CoreRestartRequested', 'CoreStopped', 'CoreStarted'];

describe('an installation', () => {
  it('is recorded, restarts the core once, and is then in use', async () => {
    const { requestInstall, happened, core, versions, place } = await ready();
    expect(await requestInstall('latest')).toBe('2.0.0');
    expect(happened()).toEqual(CHANGED);
    expect(place.data('CoreVersionInstalled')).toEqual([
      { version: '2.0.0', previousVersion: '1.0.0', sha256: 'sha of 2.0.0' },
    ]);
    expect(core.run?.version).toBe('2.0.0');
    expect([versions.choice, versions.here, versions.discarded]).toEqual(['2.0.0', ['1.0.0', '2.0.0'], 1]);
    expect(place.panel.read.records.core().choice).toMatchObject({ version: '2.0.0', trial: { from: '1.0.0' } });
  });

  it('of the running version changes nothing', async () => {
    const { requestInstall, happened } = await ready();
    expect(await requestInstall('v1.0.0')).toBe('1.0.0');
    expect(happened()).toEqual([]);
  });

  it('of an installed version works without the list of releases', async () => {
    const { requestInstall, versions, happened } = await ready();
    versions.tags = null;
    versions.here.push('1.5.0');
    expect(await requestInstall('1.5.0')).toBe('1.5.0');
    expect(happened()).toEqual(CHANGED);
  });

  it.each<[string, string, (parts: Awaited<ReturnType<typeof ready>>) => void, string, string[]]>([
    ['while the executable is fixed', '2.0.0', ({ versions }) => (versions.fixedBy = 'X'), 'CORE_FIXED', []],
    ['of an unknown version', '3.0.0', () => undefined, 'VERSION_UNKNOWN', []],
    ['without any release', 'latest', ({ versions }) => (versions.tags = []), 'VERSION_UNKNOWN', []],
    ['without the list', '2.0.0', ({ versions }) => (versions.tags = null), 'RELEASES_UNREACHABLE', []],
    [
      'of an executable of another version',
      '2.0.0',
      ({ core }) => (core.trials = () => Promise.resolve('1.9.0')),
      'INSTALL_FAILED',
      ['CoreInstallFailed'],
    ],
    [
      'of an executable that refuses the configuration',
      '2.0.0',
      ({ core }) => (core.trials = () => Promise.reject(new CoreError('invalid', verbatim('unknown protocol')))),
      'INSTALL_FAILED',
      ['CoreInstallFailed'],
    ],
    [
      'on a full disk',
      '2.0.0',
      ({ versions }) => (versions.keep = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))),
      'INSTALL_FAILED',
      ['CoreInstallFailed'],
    ],
  ])('%s leaves the core alone', async (_, version, spoil, code, events) => {
    const parts = await ready();
    spoil(parts);
    const run = parts.core.run;
    expect(await parts.requestInstall(version)).toBe(code);
    expect(parts.happened()).toEqual(events);
    expect(parts.core.run).toBe(run);
    expect([parts.core.executable, parts.versions.choice, parts.versions.here]).toEqual(['1.0.0', '1.0.0', ['1.0.0']]);
  });

  it('that cannot be recorded leaves no files', async () => {
    const { install, versions, core, happened } = await ready();
    const done = await install.install('2.0.0', () => reject('STORAGE_FULL'));
    expect(done).toMatchObject({ code: 'STORAGE_FULL' });
    expect([versions.here, versions.choice, core.executable]).toEqual([['1.0.0'], '1.0.0', '1.0.0']);
    expect(happened()).toEqual([]);
  });

  it('is rejected while another one runs', async () => {
    const { requestInstall, happened } = await ready();
    const both = await Promise.all([requestInstall('2.0.0'), requestInstall('1.5.0')]);
    expect(both).toEqual(['2.0.0', 'INSTALL_RUNNING']);
    expect(happened()).toEqual(CHANGED);
    expect(await requestInstall('1.5.0')).toBe('1.5.0');
  });

  it('does not start a stopped core, and is tried at its next start', async () => {
    const { requestInstall, happened, core, place } = await ready();
    await place.done({ type: 'StopCore', data: {} });
    expect(await requestInstall('2.0.0')).toBe('2.0.0');
    expect(happened()).toEqual(['CoreStopped', 'CoreVersionInstalled']);
    core.dead.add('2.0.0');
    await place.done({ type: 'RestartCore', data: {} });
    expect(happened().slice(2)).toEqual([
      'CoreRestartRequested',
      'CoreFailed',
      'CoreVersionRolledBack',
      'CoreRestartRequested',
      'CoreStarted',
    ]);
    expect(core.run?.version).toBe('1.0.0');
  });
});

describe('a new version', () => {
  it('that does not start is rolled back at once', async () => {
    const { requestInstall, happened, core, versions, place } = await ready();
    core.dead.add('2.0.0');
    expect(await requestInstall('2.0.0')).toBe('CORE_ROLLED_BACK');
    expect(place.data('CoreVersionRolledBack')).toEqual([
      { version: '2.0.0', restoredVersion: '1.0.0', reason: verbatim('2.0.0 broke down') },
    ]);
    expect(happened().slice(3)).toEqual(['CoreFailed', 'CoreVersionRolledBack', 'CoreRestartRequested', 'CoreStarted']);
    expect([core.run?.version, versions.choice]).toEqual(['1.0.0', '1.0.0']);
  });

  it('that does not start is answered when the former one runs again or has failed too', async () => {
    const { install, core, place } = await ready();
    core.dead.add('2.0.0');
    const runs = install.install('2.0.0', byAdmin(place)).then((done) => [(done as Rejection).code, core.run]);
    expect(await runs).toMatchObject(['CORE_ROLLED_BACK', { version: '1.0.0' }]);
    core.dead.add('1.0.0');
    const fails = install
      .install('2.0.0', byAdmin(place))
      .then((done) => [(done as Rejection).code, place.panel.read.records.core().process.error]);
    expect(await fails).toStrictEqual(['CORE_ROLLED_BACK', verbatim('1.0.0 broke down')]);
  });

  it('that exits within half a minute is rolled back', async () => {
    const { requestInstall, happened, core, place } = await ready();
    await requestInstall('2.0.0');
    await place.wait(29_000);
    core.crash('panic');
    await place.calm();
    expect(happened().slice(4)).toEqual(['CoreFailed', 'CoreVersionRolledBack', 'CoreRestartRequested', 'CoreStarted']);
    expect(core.run?.version).toBe('1.0.0');
  });

  it('that exits later is started again', async () => {
    const { requestInstall, happened, core, place } = await ready();
    await requestInstall('2.0.0');
    await place.wait(31_000);
    core.crash('panic');
    await place.wait(2000);
    expect(happened().slice(4)).toEqual(['CoreFailed', 'CoreStarted']);
    expect(core.run?.version).toBe('2.0.0');
  });

  it('without a former version is removed when it does not start', async () => {
    const { requestInstall, core, versions, place } = await ready();
    versions.keep = () => Promise.resolve(null);
    core.dead.add('2.0.0');
    expect(await requestInstall('2.0.0')).toBe('CORE_ROLLED_BACK');
    expect([versions.here, versions.choice, core.executable]).toEqual([['1.0.0'], null, 'outside']);
    expect(place.data('CoreVersionRolledBack')).toMatchObject([{ restoredVersion: null }]);
  });
});

describe('after a crash in the middle', () => {
  it('the recorded version is chosen and started', async () => {
    const { place, core, versions, happened } = await ready();
    place.must({ type: 'RecordCoreInstalled', data: { version: '2.0.0', previousVersion: '1.0.0', sha256: '' } });
    await place.calm();
    expect(core.run?.version).toBe('1.0.0');
    versions.here.push('2.0.0');
    const again = installOf(place, core, versions);
    again.prepare();
    expect([versions.tidied, versions.choice, core.executable]).toEqual([1, '2.0.0', '2.0.0']);
    again.begin();
    await place.calm();
    expect(core.run?.version).toBe('2.0.0');
    expect(happened().filter((type) => type === 'CoreRestartRequested')).toHaveLength(2);
    again.begin();
    await place.calm();
    expect(happened().filter((type) => type === 'CoreRestartRequested')).toHaveLength(2);
  });

  it('a missing version is not chosen', async () => {
    const { place, core, versions } = await ready();
    place.must({ type: 'RecordCoreInstalled', data: { version: '2.0.0', previousVersion: '1.0.0', sha256: '' } });
    installOf(place, core, versions).prepare();
    expect([versions.choice, core.executable]).toEqual(['1.0.0', '1.0.0']);
  });
});

describe('the list', () => {
  it('falls back to the installed versions', async () => {
    const { install, versions } = await ready();
    expect(await install.list()).toEqual({ versions: ['v2.0.0', 'v1.5.0'], why: null });
    versions.tags = null;
    const why = verbatim('example.com could not be reached');
    expect(await install.list()).toEqual({ versions: ['v1.0.0'], why });
    versions.here = [];
    expect(await install.list()).toEqual({ versions: ['v1.0.0'], why });
  });
});
