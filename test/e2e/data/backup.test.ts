import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { dataDirectory } from '../../../src/adapters/data-directory/data-directory.js';
import { verbatim } from '../../../src/messages/message.js';
import { render } from '../../../src/messages/render.js';
import { stage, switchTo } from '../../../src/store/generations.js';
import { type ClientCore, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { expectComplete, untilComplete } from '../../kit/real/expect-transfer.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import {
  type Admin,
  type CliResult,
  cli,
  must,
  type PanelProcess,
  processesOf,
  startPanel,
  storeTemplate,
} from '../../kit/real/panel-process.js';
import { download, moved, startTransfer } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import { replacedStates } from '../../kit/replaced-states.js';
import { addInbound, entryOf, logOf, recorded, subscription, template, until } from '../support.js';

const SUITE = 'backups of a running panel';
const DONE = 'The database has been successfully imported.';
const LARGE = 3_000_000;

interface Backup {
  readonly bytes: Buffer;
  readonly position: number;
  readonly down: number;
}

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const alice = makeClient();
  let scratch: string;
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let client: ClientCore;
  let links: string[];
  let backup: Backup;

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'portolan-kit-data-'));
    targets = await startTargets();
    panel = await startPanel({ launcher: true });
    admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    await must(admin.post('/panel/setting/update', { pollSeconds: 1, subTitle: 'Example title' }));
    const context = makeContext({ ...targets, targetPort: targets.port });
    const added = await addInbound(admin, inboundCase(context, 'vless-reality-vision'), [alice]);
    links = await subscription(panel, alice.subId);
    client = await startClientCore([await entryOf(panel, added, alice)]);
    await untilItFlows();
  });

  afterAll(async () => {
    await client?.stop();
    await panel?.cleanUp();
    await targets?.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  const through = (path: string) => download(client.socksPort(0), `${targets.url}${path}`);
  const untilItFlows = () => untilComplete('traffic flows', () => through('/small'));
  const downOf = async (by: Admin): Promise<number> =>
    (await must(by.get<{ down: number }>(`/panel/api/inbounds/getClientTraffics/${alice.email}`))).down;
  /** The bytes of a client once they no longer grow over two readings of the core. */
  const settledDown = async (by: Admin, least = 0): Promise<number> => {
    let last = -1;
    return until(
      'the counter rests',
      async () => {
        const before = last;
        last = await downOf(by);
        return last === before && last >= least ? last : null;
      },
      1200,
    );
  };
  const pidIn = (file: string): number => Number(readFileSync(join(panel.dataDir, 'run', file), 'utf8').trim());
  const coreRun = (): { pid: number; run: string } =>
    JSON.parse(readFileSync(join(panel.dataDir, 'run', 'core.json'), 'utf8')) as { pid: number; run: string };
  const json = <T>({ stdout }: CliResult): T => JSON.parse(stdout) as T;
  const send = (by: Admin, { bytes }: Backup) =>
    by.multipart('/panel/api/server/importDB', { db: new Blob([new Uint8Array(bytes)]) });
  const tempIn = (dataDir: string): string[] =>
    existsSync(join(dataDir, 'staged')) ? readdirSync(join(dataDir, 'staged')) : [];

  it('are consistent copies while traffic flows, which can be restored, verified and replayed elsewhere', async () => {
    const transfer = startTransfer(client.socksPort(0), `${targets.url}/bytes/${LARGE}`);
    await moved(transfer, 100_000);
    const response = await admin.raw('GET', '/panel/api/server/getDb');
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    const name = /filename="portolan-\d{4}-\d\d-\d\d-position-(\d+)\.db"/.exec(
      response.headers.get('content-disposition') ?? '',
    );
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(tempIn(panel.dataDir)).toEqual([]);
    expectComplete(await transfer.done);

    const position = Number(name?.[1]);
    const file = join(scratch, 'backup.db');
    writeFileSync(file, bytes, { mode: 0o600 });
    const elsewhere = join(scratch, 'elsewhere');
    const restored = json<{ position: number; kept: unknown[] }>(await cli(['restore', file, '--json'], elsewhere));
    expect(restored).toMatchObject({ position: position + 1, kept: [] });
    const [verified, there, here] = await Promise.all([
      cli(['events', 'verify', '--json'], elsewhere),
      cli(['events', 'replay', '--to', String(position), '--json'], elsewhere),
      cli(['events', 'replay', '--to', String(position), '--json'], panel.dataDir),
    ]);
    expect(json(verified)).toMatchObject({ events: position + 1, fault: null, anchor: 'sound' });
    expect(json(there)).toEqual(json(here));
    const again = await cli(['restore', file], elsewhere);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('add --yes to replace it')]);

    const traffic = recorded(elsewhere, 'TrafficRecorded').flatMap(({ data }) => data.clients);
    backup = { bytes, position, down: traffic.reduce((sum, [, , down]) => sum + down, 0) };
  });

  it('are rejected if the file is invalid, without any change or file left behind', async () => {
    const before = logOf(panel.dataDir).filter(({ meta }) => meta.actor.kind !== 'system').length;
    const broken = Buffer.from(backup.bytes.subarray(0, backup.bytes.length / 2));
    expect(await send(admin, { ...backup, bytes: broken })).toMatchObject({
      success: false,
      msg: expect.stringContaining('is truncated') as string,
    });
    expect(await admin.multipart('/panel/api/server/importDB', { other: new Blob(['x']) })).toMatchObject({
      success: false,
    });
    expect(logOf(panel.dataDir).filter(({ meta }) => meta.actor.kind !== 'system')).toHaveLength(before);
    await until('nothing is left', () => tempIn(panel.dataDir).length === 0);
    expect(replacedStates(panel.dataDir)).toEqual([]);
  });

  it('are restored to the byte, with a new run of the core', async () => {
    await through(`/bytes/${LARGE}`);
    await until('it is counted', async () => (await downOf(admin)) >= backup.down + LARGE);
    await must(admin.post('/panel/setting/update', { subTitle: 'After the backup' }));
    const [oldCore, oldPanel] = [coreRun(), pidIn('lock.db.pid')];
    const socket = new WebSocket(`${panel.url.replace('http', 'ws')}/ws`, {
      headers: { cookie: admin.cookieHeader() },
    });
    const heard: string[] = [];
    socket.on('message', (data: Buffer) => heard.push(data.toString()));
    await new Promise((open) => socket.once('open', open));

    const answers = await Promise.all([send(admin, backup), send(admin, backup)]);
    const [[done], [refused]] = [answers.filter(({ success }) => success), answers.filter(({ success }) => !success)];
    expect(done).toMatchObject({ obj: DONE });
    expect(refused?.msg).toContain('in progress');
    // A change made now would be lost.
    expect(await admin.post('/panel/setting/update', { subTitle: 'Lost' })).toMatchObject({ success: false });
    await until('the notification', () => heard.some((text) => text.includes('restarting with the imported data')));
    socket.close();

    await until('another panel process', () => pidIn('lock.db.pid') !== oldPanel);
    await until('it is ready', async () => (await fetch(`${panel.opsUrl}/readyz`)).ok);
    expect(await admin.raw('GET', '/panel/api/server/status').then(({ status }) => status)).toBe(401);
    const back = await panel.admin();
    expect(await must(back.post<{ subTitle: string }>('/panel/setting/all'))).toMatchObject({
      subTitle: 'Example title',
    });
    expect(await subscription(panel, alice.subId)).toEqual(links);
    // Traffic that the former run of the core counted after the backup is only in the former log.
    await until('the core runs', () => recorded(panel.dataDir, 'CoreStarted', backup.position).length > 0);
    expect(coreRun().run).not.toBe(oldCore.run);
    expect(await settledDown(back)).toBe(backup.down);
    await untilItFlows();
    await through(`/bytes/${LARGE}`);
    const after = await settledDown(back, backup.down + LARGE);
    expect(after - backup.down).toBeLessThan(LARGE * 1.2);

    expect(panel.stdout()).toContain('NEW STATE: a backup (SHA-256 ');
    const [aside = ''] = replacedStates(panel.dataDir);
    const types = logOf(join(panel.dataDir, 'backups', aside)).map(({ type }) => type);
    expect(types).toContain('StateReplaced');
    expect(types.slice(types.indexOf('StateReplaced'))).toEqual(
      expect.arrayContaining(['CoreStopped', 'PanelStopped']),
    );
    const [imported] = recorded(panel.dataDir, 'StateImported');
    expect(imported).toMatchObject({ position: backup.position + 1, meta: { actor: { kind: 'user' } } });
    expect(existsSync(join(panel.dataDir, 'switch.json'))).toBe(false);
    admin = back;
  });

  it('are restored by the next start if the panel is killed between the answer and the switch', async () => {
    await must(admin.post('/panel/setting/update', { subTitle: 'Before the kill' }));
    const former = coreRun();
    expect(await send(admin, backup)).toMatchObject({ success: true, obj: DONE });
    process.kill(pidIn('lock.db.pid'), 'SIGKILL');
    await panel.exited;
    panel = await startPanel({ launcher: true, dataDir: panel.dataDir, ports: panel.ports });
    admin = await panel.admin();
    expect(await must(admin.post<{ subTitle: string }>('/panel/setting/all'))).toMatchObject({
      subTitle: 'Example title',
    });
    expect(recorded(panel.dataDir, 'StateImported')).toHaveLength(1);
    await until('the core runs', () => recorded(panel.dataDir, 'CoreStarted', backup.position).length > 0);
    expect(coreRun().run).not.toBe(former.run);
    expect(processesOf(panel.dataDir)).not.toContain(former.pid);
    expect(await downOf(admin)).toBe(backup.down);
    expect(panel.stdout()).toContain('NEW STATE: a backup');
  });

  it('are rolled back with a reason if the panel does not start with them', async () => {
    await must(admin.post('/panel/setting/update', { subTitle: 'Still here' }));
    await panel.stop();
    const directory = dataDirectory(panel.dataDir);
    const staged = stage(directory);
    writeFileSync(staged.directory.database, 'this is no log');
    switchTo(directory, staged, verbatim('a wreck replaces the state'));
    panel = await startPanel({ launcher: true, dataDir: panel.dataDir, ports: panel.ports });
    admin = await panel.admin();
    expect(await must(admin.post<{ subTitle: string }>('/panel/setting/all'))).toMatchObject({
      subTitle: 'Still here',
    });
    const [restored] = recorded(panel.dataDir, 'StateReplacementRolledBack');
    expect(render(restored?.data.reason ?? verbatim(''), 'en')).toMatch(
      /^a wreck replaces the state: .*not a database/,
    );
    expect(panel.stdout()).toContain('PREVIOUS STATE RESTORED: a wreck');
    expect(panel.stderr()).toContain('the previous state is restored');
  });

  it('are also made on the command line, with a running panel or without, and sealed when a passphrase is set', async () => {
    await must(admin.post('/panel/setting/secret', { key: 'backupPassphrase', value: 'a long passphrase' }));
    const [running, stopped] = [join(scratch, 'running.db'), join(scratch, 'stopped.db')];
    expect(json(await cli(['backup', '--out', running, '--json'], panel.dataDir))).toMatchObject({ sealed: true });
    expect(statSync(running).mode & 0o077).toBe(0);
    const nowhere = await cli(['backup', '--out', join(scratch, 'nowhere', 'x.db')], panel.dataDir);
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      expect.stringContaining(`The folder ${join(scratch, 'nowhere')} does not exist`),
    ]);
    await panel.stop();
    const alone = await cli(['backup', '--out', stopped], panel.dataDir);
    expect([alone.code, alone.stdout]).toEqual([
      0,
      expect.stringContaining('its key is encrypted with the passphrase'),
    ]);
    const fresh = join(scratch, 'fresh');
    const without = await cli(['restore', running], fresh);
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('its passphrase is needed')]);
    const secret = join(scratch, 'passphrase');
    writeFileSync(secret, 'a long passphrase\n');
    for (const file of [running, stopped]) {
      const done = await cli(['restore', file, '--yes', '--passphrase-file', secret], fresh);
      expect([done.code, done.stderr]).toEqual([0, '']);
    }
    expect(recorded(fresh, 'StateImported').at(-1)).toMatchObject({ meta: { actor: { id: 'cli' } } });
  });
});
