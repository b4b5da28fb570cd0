import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hash as bcrypt } from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportReport } from '../../../src/commands/import/plan.js';
import { scratchFolder } from '../../kit/log.js';
import { startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { expectComplete } from '../../kit/real/expect-transfer.js';
import { Admin, cli, loopbackTemplate, must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { freePort, freePorts } from '../../kit/real/ports.js';
import { download } from '../../kit/real/socks.js';
import { SMALL_BODY, startTargets, type Targets } from '../../kit/real/targets.js';
import { foreignUuid, makeDumped, makeXui, xuiClient, xuiInbound, xuiStats } from '../../kit/xui-database.js';
import { recorded, until } from '../support.js';

const SUITE = 'an import from 3x-ui';
const OLD = { username: 'root', password: 'of the old panel' };
const TOKEN = 'T'.repeat(48);
const UP = 5_000_000_000;

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  let folder: string;
  let file: string;
  let port: number;
  let targets: Targets;
  let panel: PanelProcess | undefined;

  beforeAll(async () => {
    folder = scratchFolder();
    file = join(folder, 'x-ui.db');
    targets = await startTargets();
    port = await freePort();
    makeXui(file, {
      users: [{ id: 1, username: OLD.username, password: await bcrypt(OLD.password, 4) }],
      inbounds: [
        xuiInbound(4, {
          port,
          tag: 'inbound-old',
          clients: [xuiClient(1), xuiClient(2, { enable: false })],
        }),
        xuiInbound(6, { protocol: 'mtproto' }),
      ],
      client_traffics: [xuiStats(1, 4, 'user1', { up: UP }), xuiStats(2, 4, 'user2'), xuiStats(3, 8, 'gone')],
      settings: {
        ...{ webBasePath: '/old/', webPort: '54321', subPath: '/my-sub/', subPort: '54322', apiToken: TOKEN },
        xrayTemplateConfig: JSON.stringify(loopbackTemplate()),
      },
    });
  });

  afterAll(async () => {
    await Promise.all([panel?.cleanUp(), targets?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  it('previews the result, and fills an empty data directory', async () => {
    const dataDir = join(folder, 'alone');
    const before = readFileSync(file);
    const dry = await cli(['--json', 'import', '3x-ui', file, '--dry-run'], dataDir);
    expect([dry.code, dry.stderr]).toEqual([0, '']);
    expect(JSON.parse(dry.stdout)).toMatchObject({
      ...{ dryRun: true, source: '3x-ui', version: '3.0' },
      totals: {
        before: { inbounds: 2, clients: 2, clientUp: UP },
        after: { inbounds: 1, clients: 2, clientUp: UP },
        skipped: { inbounds: 1, clients: 0, clientUp: 0 },
      },
    });
    expect(readdirSync(folder)).toEqual(['x-ui.db']);

    const done = await cli(['import', '3x-ui', file], dataDir);
    expect([done.code, done.stderr]).toEqual([0, '']);
    expect(done.stdout).toContain(
      'skipped: inbounds: inbound 6 (inbound 6): protocol "mtproto" is unknown to this panel',
    );
    expect(readFileSync(file).equals(before)).toBe(true);
    const again = await cli(['import', '3x-ui', file], dataDir);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('add --yes to replace it')]);
  });

  it('continues under a running panel without interruption', async () => {
    panel = await startPanel({ launcher: true });
    const { dataDir, ports } = panel;
    const before = await panel.admin();
    const upload = (from: string) =>
      before.multipart('/panel/api/server/importDB', { db: new Blob([readFileSync(from)]) });
    const bad = join(folder, 'bad.db');
    makeXui(bad, { after: 'CREATE VIEW evil AS SELECT 1' });
    expect(await upload(bad)).toMatchObject({ success: false, msg: expect.stringContaining('the view "evil"') });
    expect(await upload(file)).toMatchObject({ success: true, obj: 'The database has been successfully imported.' });

    const admin = new Admin(`http://127.0.0.1:${ports.panel}/old`, OLD);
    await until('the old password lets in', async () => (await admin.login()).success);
    expect(recorded(dataDir, 'PasswordHashUpgraded')).toMatchObject([{ data: { user: 1, epoch: 0 } }]);
    expect(recorded(dataDir, 'PanelImported')).toMatchObject([{ position: 1, meta: { actor: { name: 'import' } } }]);

    const known = admin.bearer(TOKEN);
    const [inbound] = await must(known.get<{ id: number; tag: string; port: number }[]>('/panel/api/inbounds/list'));
    expect(inbound).toMatchObject({ id: 4, tag: 'inbound-old', port });
    const response = await fetch(`http://127.0.0.1:${ports.sub}/my-sub/sub1`);
    expect(response.status).toBe(200);
    const [link = ''] = Buffer.from(await response.text(), 'base64')
      .toString('utf8')
      .split('\n');
    expect(link.startsWith(`vless://${foreignUuid(1)}@127.0.0.1:${port}?`)).toBe(true);
    expect(response.headers.get('subscription-userinfo')).toContain(`upload=${UP};`);

    const client = await startClientCore([link]);
    try {
      await until('the old id reaches the target', async () => {
        expectComplete(await download(client.socksPort(0), `${targets.url}/small`), { text: SMALL_BODY });
        return true;
      });
    } finally {
      await client.stop();
    }
  });

  describe('with the database of a live 3.0.1', () => {
    const HARBOUR = { username: 'harbour', password: 'Harbour-lights-7' };
    let dump: string;

    beforeAll(async () => {
      dump = join(folder, 'dump.db');
      const ports = await freePorts(4);
      const template = JSON.stringify(loopbackTemplate()).replaceAll("'", "''");
      const moved = [1, 2, 4, 5].map((id, index) => `UPDATE inbounds SET port = ${ports[index]} WHERE id = ${id};`);
      makeDumped(
        dump,
        `${moved.join('\n')} UPDATE inbounds SET enable = 0 WHERE id = 6;
         UPDATE settings SET value = '${template}' WHERE key = 'xrayTemplateConfig';`,
      );
    });

    it('fills an empty data directory', async () => {
      const dataDir = join(folder, 'dumped');
      const done = await cli(['--json', 'import', '3x-ui', dump], dataDir);
      expect([done.code, done.stderr]).toEqual([0, '']);
      const { totals, findings } = JSON.parse(done.stdout) as ImportReport;
      expect(totals.after).toEqual(totals.before);
      expect(findings.filter(({ outcome: what }) => what === 'skipped')).toEqual([]);
      expect(findings.map(({ item }) => item)).toContain('client laptop-3 of inbound 1');
      expect(recorded(dataDir, 'GeoSourceAdded')).toHaveLength(2);
    });

    it('continues under a running panel', async () => {
      await panel?.cleanUp();
      panel = await startPanel({ launcher: true });
      const { ports } = panel;
      const before = await panel.admin();
      const db = new Blob([readFileSync(dump)]);
      expect(await before.multipart('/panel/api/server/importDB', { db })).toMatchObject({ success: true });
      const admin = new Admin(`http://127.0.0.1:${ports.panel}/k7Rm2qXw`, HARBOUR);
      await until('the old password lets in', async () => (await admin.login()).success);
      const sources = await must(admin.get<{ type: string; alias: string }[]>('/panel/api/custom-geo/list'));
      expect(sources.map(({ type, alias }) => `${type}_${alias}`)).toEqual(['geosite_ads', 'geoip_office-net']);
      const response = await fetch(`http://127.0.0.1:${ports.sub}/feed/k3v9x2m7q0000008`);
      const [link = ''] = Buffer.from(await response.text(), 'base64')
        .toString('utf8')
        .split('\n');
      const client = await startClientCore([link]);
      try {
        await until('an old password reaches the target', async () => {
          expectComplete(await download(client.socksPort(0), `${targets.url}/small`), { text: SMALL_BODY });
          return true;
        });
      } finally {
        await client.stop();
      }
    });
  });
});
