import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { damageMiddle } from '../../kit/formats/pages.js';
import { type Child, startChild } from '../../kit/real/children.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { Admin, cli, must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { addInbound, clientBody, recorded, until, wireOf } from '../support.js';

const NO_CORE = '/nowhere/xray';
const NO_CERTIFICATE = { certFile: '', keyFile: '', certPem: '', keyPem: '', pin: '', remove: () => {} };
const CLIENTS = 60;

describe('a panel with damaged files', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'portolan-e2e-damaged-'));
  const backup = join(scratch, 'backup.db');
  const alice = makeClient();
  let panel: PanelProcess;
  let reader: Child | undefined;

  beforeAll(async () => {
    panel = await startPanel({ coreBin: NO_CORE });
    const admin = await panel.admin();
    const one = inboundCase(
      makeContext({ certificate: NO_CERTIFICATE, realityTarget: '', targetPort: 9 }),
      'vless-tcp',
    );
    const { id } = await addInbound(admin, one, [alice]);
    for (let n = 0; n < CLIENTS; n += 1)
      await must(admin.post('/panel/api/inbounds/addClient', clientBody(id, wireOf(one, makeClient()))));
    expect(await cli(['backup', '--out', backup], panel.dataDir)).toMatchObject({ code: 0 });
    await panel.stop();
  });

  afterAll(async () => {
    await reader?.stop();
    await panel?.cleanUp();
    rmSync(scratch, { recursive: true, force: true });
  });

  const databaseFile = () => join(panel.dataDir, 'events.db');
  const anchorFile = () => join(panel.dataDir, 'head.json');
  const served = async () => (await fetch(`${panel.subUrl}/sub/${alice.subId}`)).status;

  /** A serving panel that accepts no changes. */
  async function startToRead(): Promise<Child> {
    const { ports } = panel;
    reader = startChild(process.execPath, ['dist/main.js', 'serve'], {
      env: {
        ...process.env,
        PORTOLAN_DATA_DIR: panel.dataDir,
        PORTOLAN_HOST: '127.0.0.1',
        PORTOLAN_PORT: String(ports.panel),
        PORTOLAN_SUB_HOST: '127.0.0.1',
        PORTOLAN_SUB_PORT: String(ports.sub),
        PORTOLAN_OPS_PORT: String(ports.ops),
        PORTOLAN_CORE_BIN: NO_CORE,
      },
    });
    const { stdout } = reader;
    await until('it serves', () => stdout().includes('READ ONLY: '));
    return reader;
  }

  async function refusal(): Promise<string> {
    const admin = new Admin(panel.url, { username: panel.username, password: panel.password });
    await must(admin.login());
    expect(await must(admin.get<unknown[]>('/panel/api/inbounds/list'))).toHaveLength(1);
    const answer = await admin.post('/panel/setting/update', { subTitle: 'Changed' });
    expect(answer.success).toBe(false);
    return answer.msg;
  }

  async function startWell(): Promise<void> {
    panel = await startPanel({ coreBin: NO_CORE, dataDir: panel.dataDir, ports: panel.ports });
    await must((await panel.admin()).post('/panel/setting/update', { subTitle: 'Changed' }));
    await panel.stop();
    expect(await cli(['events', 'verify'], panel.dataDir)).toMatchObject({ code: 0 });
  }

  it('reports a missing head.json everywhere until an operator accepts the log', async () => {
    rmSync(anchorFile());
    const said = /head\.json is missing, .*portolan doctor --accept-loss/;
    const child = await startToRead();
    expect(child.stdout()).toMatch(said);
    expect(await served()).toBe(200);
    expect(await refusal()).toMatch(said);
    for (const command of [['events', 'verify'], ['doctor']]) {
      const { code, stdout, stderr } = await cli(command, panel.dataDir);
      expect([code, `${stdout}${stderr}`]).toEqual([1, expect.stringMatching(said)]);
    }
    await child.stop();
    expect(existsSync(anchorFile())).toBe(false);
    expect(await cli(['doctor', '--accept-loss'], panel.dataDir)).toMatchObject({ code: 0, stderr: '' });
    expect(recorded(panel.dataDir, 'LogLossAccepted')).toMatchObject([{ data: { expectedPosition: null } }]);
    expect((await cli(['doctor', '--accept-loss'], panel.dataDir)).stderr).toContain(
      'Neither the end of the log nor head.json is missing',
    );
    await startWell();
  });

  it('serves the undamaged part of a damaged log, and can be repaired in both documented ways', async () => {
    damageMiddle(databaseFile());
    rmSync(join(panel.dataDir, 'run', 'snapshots'), { recursive: true, force: true });
    const evidence = readFileSync(databaseFile());
    const said =
      /events\.db is damaged \(database disk image is malformed\): the panel shows the state of position \d+, up to which it can be read\. Restore a backup: portolan restore .* --yes\. Or continue from that position without the events after it: portolan doctor --keep-readable/;
    const child = await startToRead();
    expect(child.stdout()).toMatch(said);
    expect(await served()).toBe(200);
    expect(await refusal()).toMatch(said);
    expect((await fetch(`${panel.opsUrl}/readyz`)).status).toBe(503);
    const verified = await cli(['events', 'verify'], panel.dataDir);
    expect([verified.code, verified.stderr]).toEqual([
      1,
      expect.stringMatching(/first bad position: \d+: events\.db is damaged/),
    ]);
    await child.stop();
    expect(readFileSync(databaseFile()).equals(evidence)).toBe(true);

    const kept = await cli(['doctor', '--keep-readable'], panel.dataDir);
    expect([kept.code, kept.stdout, kept.stderr]).toEqual([
      0,
      expect.stringMatching(/^The log continues after position \d+; the damaged file was moved to .*backups/),
      '',
    ]);
    expect(recorded(panel.dataDir, 'LogLossAccepted').at(-1)?.data.expectedPosition).toBeGreaterThan(CLIENTS);
    await startWell();
    expect(await cli(['restore', backup, '--yes'], panel.dataDir)).toMatchObject({ code: 0, stderr: '' });
    await startWell();
  });

  it('does not start if events.db is a link, and leaves the target of the link unchanged', async () => {
    const elsewhere = join(scratch, 'elsewhere.db');
    renameSync(databaseFile(), elsewhere);
    const before = readFileSync(elsewhere);
    symlinkSync(elsewhere, databaseFile());
    const { code, stderr } = await cli(['serve'], panel.dataDir);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${databaseFile()} is a symbolic link`)]);
    expect(stderr).not.toContain('    at ');
    expect(await cli(['restore', backup, '--yes'], panel.dataDir)).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(elsewhere).equals(before)).toBe(true);
    await startWell();
  });
});
