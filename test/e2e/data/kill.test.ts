import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dataDirectory } from '../../../src/adapters/data-directory/data-directory.js';
import { message } from '../../../src/messages/message.js';
import { completeSwitch } from '../../../src/store/generations.js';
import { openJournal } from '../../../src/store/journal.js';
import { verifyLog } from '../../../src/store/verify.js';
import { scratchFolder } from '../../kit/log.js';
import { killedAt, type Moment } from '../../kit/real/faults/kill-at.js';
import {
  type Admin,
  cli,
  must,
  type PanelPorts,
  type PanelProcess,
  panelPorts,
  startCli,
  startPanel,
} from '../../kit/real/panel-process.js';
import { type ReleaseServer, startReleaseServer } from '../../kit/real/servers/release-server.js';
import { replacedStates } from '../../kit/replaced-states.js';
import { makeXui, xuiClient, xuiInbound } from '../../kit/xui-database.js';
import { recorded, until } from '../support.js';

const BACKUP = 'The backup';
const BEFORE = 'The state before';
/** Without a core: only the panel is killed here. */
const NO_CORE = { coreBin: '/nonexistent/core' };
/** The commit point of a switch, and its steps after that. */
const NOTE = '/switch.json';
const DECIDED: Moment = { when: 'after', to: NOTE };
const MOMENTS: readonly [string, Moment, { readonly title: string; readonly outcome: string | undefined }][] = [
  ['before it is decided', { when: 'before', to: NOTE }, { title: BEFORE, outcome: undefined }],
  ['once it is decided', DECIDED, { title: BACKUP, outcome: 'switched' }],
  ['with the log before moved out', { when: 'after', to: '/events.db' }, { title: BACKUP, outcome: 'switched' }],
  [
    'with the new log in and its key not',
    { when: 'before', to: 'keys/master.key' },
    { title: BACKUP, outcome: 'switched' },
  ],
];

/** The title in the log of a folder, whose chain, payloads and anchor are valid. */
function soundTitleIn(dataDir: string): string | undefined {
  const { log, complaint } = openJournal(dataDirectory(dataDir), { readonly: true });
  try {
    expect([verifyLog(log).fault, complaint]).toEqual([null, null]);
  } finally {
    log.close();
  }
  const titles = recorded(dataDir, 'SettingsChanged').map(({ data }) => data.changes['subTitle']);
  return titles.findLast((title) => typeof title === 'string');
}

const stagedIn = (dataDir: string): readonly string[] =>
  existsSync(join(dataDir, 'staged')) ? readdirSync(join(dataDir, 'staged')) : [];

describe('SIGKILL', () => {
  let folder: string;
  let dataDir: string;
  let lists: ReleaseServer;
  let ports: PanelPorts;
  let panel: PanelProcess | undefined;
  let admin: Admin;
  let backup: string;
  let foreign: string;

  beforeAll(async () => {
    folder = scratchFolder();
    [backup, foreign] = [join(folder, 'backup.db'), join(folder, 'x-ui.db')];
    makeXui(foreign, { inbounds: [xuiInbound(1, { clients: [xuiClient(1)] })] });
    dataDir = join(folder, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    [lists, ports] = await Promise.all([startReleaseServer(), panelPorts()]);
    await start();
    await must(admin.post('/panel/setting/update', { subTitle: BACKUP }));
    const response = await admin.raw('GET', '/panel/api/server/getDb');
    writeFileSync(backup, Buffer.from(await response.arrayBuffer()));
    await must(admin.post('/panel/setting/update', { subTitle: BEFORE }));
  });

  afterAll(async () => {
    await panel?.stop();
    await lists?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(env: Record<string, string> = {}): Promise<PanelProcess> {
    panel = await startPanel({ ...NO_CORE, launcher: true, dataDir, ports, env: { ...lists.env, ...env } });
    admin = await panel.admin();
    return panel;
  }

  /** A start that is killed at a moment, and its exit. */
  const ends = (moment: Moment, how: RegExp): Promise<void> =>
    expect(startPanel({ ...NO_CORE, dataDir, ports, env: killedAt(moment) })).rejects.toThrow(how);
  const dies = (moment: Moment): Promise<void> => ends(moment, /SIGKILL/);

  /** Kills the panel itself, under its launcher. */
  async function kill(): Promise<void> {
    process.kill(Number(readFileSync(join(dataDir, 'run', 'lock.db.pid'), 'utf8')), 'SIGKILL');
    await panel?.exited;
  }

  /** What the next start serves, and its messages. */
  async function next(
    env: Record<string, string> = {},
  ): Promise<{ readonly title: string; readonly says: string | undefined }> {
    const { stdout } = await start(env);
    expect(stagedIn(dataDir)).toEqual([]);
    expect(existsSync(join(dataDir, NOTE))).toBe(false);
    const { subTitle: title } = await must(admin.post<{ subTitle: string }>('/panel/setting/all'));
    expect(soundTitleIn(dataDir)).toBe(title);
    return { title, says: /NEW STATE|PREVIOUS STATE RESTORED/.exec(stdout())?.[0] };
  }

  const send = (file: string): void =>
    void admin
      .multipart('/panel/api/server/importDB', { db: new Blob([new Uint8Array(readFileSync(file))]) })
      .catch(() => undefined);

  describe('of a panel', () => {
    it('while a backup is downloaded and geo files arrive changes nothing', async () => {
      let asked = false;
      lists.put('/slow.dat', (_, response) => {
        asked = true;
        response.writeHead(200).write(Buffer.alloc(70_000));
      });
      const source = { type: 'geosite', alias: 'slow', url: `${lists.url}/slow.dat` };
      void admin.post('/panel/api/custom-geo/add', source).catch(() => undefined);
      const geo = () => readdirSync(join(dataDir, 'geo')).filter((name) => name.startsWith('staged-'));
      await until('a part of a list', () => asked && geo().length > 0, 5);
      void admin.raw('GET', '/panel/api/server/getDb').catch(() => undefined);
      await until('a part of a copy', () => stagedIn(dataDir).length > 0, 2);
      await kill();
      expect(geo()).toHaveLength(1);
      expect(await next()).toEqual({ title: BEFORE, says: undefined });
      expect(geo()).toEqual([]);
      expect(recorded(dataDir, 'GeoSourceAdded')).toEqual([]);
    });

    it.each<[string, () => string]>([
      ['a backup', () => backup],
      ['a database of 3x-ui', () => foreign],
    ])('while %s is read changes nothing', async (_, file) => {
      send(file());
      await until('what is staged', () => stagedIn(dataDir).some((name) => /^[0-9a-f]{16}$/.test(name)), 2);
      await kill();
      // The next panel is killed during its decision.
      expect(await next(killedAt(DECIDED))).toEqual({ title: BEFORE, says: undefined });
      expect(replacedStates(dataDir)).toEqual([]);
    });

    it('after its decision, and during the next starts, ends in one state or the other', async () => {
      send(backup);
      await panel?.exited;
      await dies({ when: 'after', to: '/events.db' });
      await dies({ when: 'before', to: `${dataDir}/keys/master.key` });
      // A full disk is not a failure of the panel, so this does not count as a try.
      const note = { to: NOTE, holding: '"tries":1' };
      await ends({ when: 'full', ...note }, /"code":74.*is full\. Free some space on it and start the panel again/s);
      await dies({ when: 'after', ...note });
      await dies({ when: 'after', to: NOTE, holding: '"tries":2' });
      expect(soundTitleIn(dataDir)).toBe(BACKUP);
      expect(await next()).toEqual({ title: BEFORE, says: 'PREVIOUS STATE RESTORED' });
      expect(recorded(dataDir, 'StateReplacementRolledBack')).toMatchObject([
        { data: { reason: { code: 'backup.rolledBack', params: { why: message('backup.notReady') } } } },
      ]);
      const [aside = ''] = replacedStates(dataDir);
      expect(soundTitleIn(join(dataDir, 'backups', aside))).toBe(BACKUP);
    });
  });

  describe('of a command without a panel', () => {
    let alone: string;
    let out: string;

    beforeAll(async () => {
      await panel?.stop();
      [alone, out] = [join(folder, 'alone'), join(folder, 'out.db')];
    });
    beforeEach(() => cpSync(dataDir, alone, { recursive: true, filter: (path) => path !== join(dataDir, 'run') }));
    afterEach(() => rmSync(alone, { recursive: true, force: true }));

    /** The result of the next start. */
    function settled(): { readonly title: string | undefined; readonly outcome: string | undefined } {
      const turn = completeSwitch(dataDirectory(alone));
      expect(stagedIn(alone)).toEqual([]);
      return { title: soundTitleIn(alone), outcome: turn?.outcome };
    }

    it.each(MOMENTS)('that restores leaves one state or the other: %s', async (_, moment, left) => {
      const { to } = moment;
      const env = killedAt({ ...moment, to: to.startsWith('keys') ? join(alone, to) : to });
      expect(await cli(['restore', backup, '--yes'], alone, { env })).toMatchObject({ code: null, stdout: '' });
      expect(settled()).toEqual(left);
      // A second start only repeats the message, until a start was ready.
      expect(settled()).toEqual(left);
    });

    it.each<[string, string[]]>([
      ['restore', ['restore', '--yes']],
      ['back up', ['backup', '--out']],
    ])('changes nothing while it runs: %s', async (_, [name = '', option = '']) => {
      const child = startCli(name === 'backup' ? [name, option, out] : [name, backup, option], alone);
      await until('a part of it', () => stagedIn(alone).length > 0, 2);
      child.kill('SIGKILL');
      await child.exited;
      expect(settled()).toEqual({ title: BEFORE, outcome: undefined });
      expect(existsSync(out)).toBe(false);
    });
  });
});
