import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../kit/log.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { must } from '../../kit/real/panel-process.js';
import { freePorts } from '../../kit/real/ports.js';
import { drive, refusals, type Step, valueOf } from '../../programs/drive.js';
import { type Installed, py3xui, threeXuiClient, without } from '../../programs/install.js';
import { CORES, type Stage, setStage } from '../../programs/stage.js';
import { deedsOf, headOf, recorded, until } from '../support.js';

type Dialect = 'spec' | '3x-ui';
const driver = (path: string): string => fileURLToPath(new URL(`../../programs/${path}`, import.meta.url));
const folderOf = (program: Installed): string => ('folder' in program ? program.folder : '');
/** Reports of a node are not caused by the program. */
const deeds = (dataDir: string, head: number): string[] =>
  deedsOf(dataDir, head).filter((type) => !/^Node(Identified|Went)/.test(type));
const opsOf = (told: readonly Step[]): string[] => [...new Set(told.map(({ op }) => op))].sort();

const SUITE = 'unmodified third-party programs';
const [python, javascript] = await Promise.all([py3xui(), threeXuiClient()]);

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(() => stage?.strike());

  const speak = async (apiDialect: Dialect): Promise<void> => {
    await must(stage.admin.post('/panel/setting/update', { apiDialect }));
  };
  /** A version of the core that is not running. */
  const anotherCore = async (): Promise<string> => {
    const { core } = await must(stage.admin.get<{ core: { version: string } }>('/panel/api/server/status'));
    return CORES.find((version) => version !== core.version) ?? '';
  };

  describe.skipIf(without('py3xui', python))('py3xui', () => {
    /** The events of each call, in order. */
    const DEEDS = [
      ...['InboundAdded', 'InboundUpdated', 'ClientAdded', 'ClientAdded', 'ClientUpdated', 'ClientIpsCleared'],
      ...['ClientTrafficReset', 'ClientDeleted', 'ClientTrafficReset', 'InboundTrafficReset'],
      ...['GeoFilesUpdated', 'CoreVersionInstalled', 'CoreRestartRequested', 'BackupDelivered'],
      ...['ClientDeleted', 'InboundDeleted'],
    ];

    async function run(kind: 'sync' | 'async', login: 'password' | 'token') {
      const { panel, token } = stage;
      const [port = 0] = await freePorts(1, 'tcp');
      const [email, file] = [`${kind}-${login}`, join(temporaryFolder(), 'backup.db')];
      const clients = [randomUUID(), randomUUID()];
      const asked = { kind, clients, port, email, version: await anotherCore(), file };
      const account =
        login === 'token' ? { XUI_TOKEN: token } : { XUI_USERNAME: panel.username, XUI_PASSWORD: panel.password };
      const head = headOf(panel.dataDir);
      const told = await drive('python3', [driver('py3xui/drive.py'), JSON.stringify(asked)], {
        ...{ ...account, XUI_HOST: panel.url, PYTHONPATH: folderOf(python), PYTHONDONTWRITEBYTECODE: '1' },
      });
      return { told, port, email, file, clients, version: asked.version, deeds: deeds(panel.dataDir, head) };
    }

    it.each([
      ['sync', 'password', '3x-ui'],
      ['sync', 'password', 'spec'],
      ['async', 'password', '3x-ui'],
      ['async', 'password', 'spec'],
      ['sync', 'token', 'spec'],
      ['sync', 'token', '3x-ui'],
    ] as const)('does all it can: %s, by %s, in the dialect %s', async (kind, login, dialect) => {
      await speak(dialect);
      const { told, port, email, file, clients, version, deeds: done } = await run(kind, login);
      const byToken = login === 'token';

      expect(opsOf(told)).toStrictEqual(
        [...(valueOf(told, 'surface') as string[]), 'surface', 'refused', ...(byToken ? [] : ['login'])].sort(),
      );
      // The specification has one object where it expects a list.
      const unread = { 'client.get_traffic_by_id': expect.stringMatching(/^ValidationError: 1 /) as string };
      expect(refusals(told)).toStrictEqual({
        refused: 'ValueError: Response status is not successful, message: Inbound 999999 not found',
        ...(dialect === 'spec' ? unread : {}),
      });
      expect(done).toStrictEqual([...(byToken ? [] : ['LoggedIn']), ...DEEDS]);

      const one = { email: `${email}-0`, enable: true, uuid: clients[0] };
      expect(valueOf(told, 'inbound.get_list')).toMatchObject([{ port, protocol: 'vless', remark: email }]);
      expect(valueOf(told, 'client.get_by_email')).toMatchObject(one);
      if (dialect === '3x-ui')
        expect(valueOf(told, 'client.get_traffic_by_id')).toMatchObject([{ ...one, total: 10 * 1024 ** 3 }]);
      expect(valueOf(told, 'client.get_ips')).toStrictEqual([]);
      expect(valueOf(told, 'client.online')).toStrictEqual([]);
      const stored = { email: `${email}-0`, id: clients[0], totalGB: 10 * 1024 ** 3, limitIp: 2 };
      expect(valueOf(told, 'inbound.get_by_id')).toMatchObject({
        ...{ port, remark: `${email} updated`, settings: { clients: [stored] }, sniffing: { enabled: true } },
      });
      expect(readFileSync(file).subarray(0, 15).toString()).toBe('SQLite format 3');
      expect(valueOf(told, 'server.get_status')).toMatchObject({ xray: { state: 'running', errorMsg: '' } });
      expect(valueOf(told, 'server.generate_reality_keys')).toMatchObject({
        ...{ privateKey: expect.stringMatching(/^[\w-]{43}$/) as string, publicKey: expect.any(String) as string },
      });
      expect(valueOf(told, 'server.get_xray_version')).toStrictEqual([`v${CORES[1]}`]);
      expect(valueOf(told, 'server.get_server_config')).toMatchObject({
        ...{ inbounds: [{ port, settings: { clients: [{ email: expect.any(String) as string }] } }] },
      });
      expect(await must(stage.admin.get('/panel/api/server/status'))).toMatchObject({
        core: { state: 'running', version },
      });
    });
  });

  describe.skipIf(without('3xui-api-client', javascript))('3xui-api-client', () => {
    /** Methods that send no request. */
    const LOCAL = `generateCredentials generateUUID generatePassword generateBulkCredentials getShadowsocksCiphers
      getRecommendedShadowsocksCipher generateWireGuardKeys generateRealityKeys generatePort validateCredentials
      getSessionStats clearAllSessions isSessionValid getSecurityStats clearBlockedIPs validateCredentialStrength
      generateSecureToken setDevelopmentMode`.split(/\s+/);
    /** Methods for the routes of later panels. */
    const LATER = `getClients getPagedClients getClient getClientTraffic getSubLinks getClientLinks addModernClient
      updateModernClient deleteModernClient attachClientToInbounds detachClientFromInbounds
      resetAllModernClientTraffics deleteDepletedModernClients bulkAdjustModernClients bulkDeleteModernClients
      bulkCreateModernClients bulkAttachModernClients bulkDetachModernClients bulkResetTrafficModernClients
      resetModernClientTrafficByEmail updateModernClientTrafficByEmail getModernClientIps clearModernClientIps
      getOnlines getModernLastOnline getGroups getGroupEmails createGroup renameGroup deleteGroup bulkAddGroups
      bulkRemoveGroups addClientWithCredentials updateClientWithCredentials`.split(/\s+/);

    const DEEDS = [
      // Four inbounds of its builders, two of which hold a client, and one that is imported with one.
      ...['InboundAdded', 'ClientAdded', 'InboundAdded', 'ClientAdded', 'InboundAdded', 'InboundAdded'],
      ...['InboundAdded', 'ClientAdded', 'InboundUpdated', 'ClientAdded', 'ClientAdded', 'ClientUpdated'],
      'LoggedIn again',
      ...['ClientIpsCleared', 'ClientTrafficAdjusted', 'ClientTrafficReset'],
      ...['ClientTrafficReset', 'ClientTrafficReset', 'ClientTrafficReset'],
      ...['InboundTrafficReset', 'InboundTrafficReset', 'InboundTrafficReset', 'InboundTrafficReset'],
      ...['InboundTrafficReset', 'ClientDeleted', 'ClientDeleted', 'BackupDelivered', 'BackupDelivered'],
      'SettingsChanged',
      ...['NodeAdded', 'NodeUpdated', 'NodeTokenReplaced', 'DataKeyDestroyed', 'NodeDisabled', 'NodeDeleted'],
      ...['GeoSourceAdded', 'GeoSourceDownloaded', 'GeoSourceUpdated', 'GeoSourceDownloaded', 'GeoSourceChecked'],
      ...['GeoSourceChecked', 'GeoSourceDeleted', 'CoreStopRequested', 'CoreRestartRequested'],
      ...['GeoFilesUpdated', 'GeoFilesUpdated', 'CoreVersionInstalled', 'CoreRestartRequested'],
      ...['ClientDeleted', 'InboundDeleted', 'ClientDeleted', 'InboundDeleted', 'InboundDeleted', 'InboundDeleted'],
      ...['ClientDeleted', 'InboundDeleted'],
    ];

    /** The session continues under a new id, but the client logs in again. */
    const renamed = ['UserCredentialsChanged', 'DataKeyDestroyed', 'LoggedIn', 'LoggedIn'];

    const run = (login: Record<string, string>, asked: object): Promise<readonly Step[]> => {
      const module = join(folderOf(javascript), 'node_modules', '3xui-api-client', 'index.js');
      const question = { module, host: stage.panel.url, login, ...asked };
      return drive(process.execPath, [driver('three-x-ui-client/drive.mjs'), JSON.stringify(question)], {});
    };

    it.each([
      ['token', 'spec'],
      ['password', '3x-ui'],
    ] as const)('does all it can: by %s, in the dialect %s', async (login, dialect) => {
      await speak(dialect);
      const { panel, token, releases, node } = stage;
      const byToken = login === 'token';
      const head = headOf(panel.dataDir);
      const account = byToken ? { token } : { username: panel.username, password: panel.password };
      const clients = [randomUUID(), randomUUID(), randomUUID()];
      const told = await run(account, {
        ...{ ports: await freePorts(5, 'tcp'), clients, email: login, version: await anotherCore() },
        ...{ geo: `${releases.url}/mine.dat`, pageSize: byToken ? 31 : 32, later: byToken ? LATER : [] },
        node: { host: '127.0.0.1', port: node.port, basePath: '/', apiToken: node.token },
      });

      const surface = (valueOf(told, 'surface') as string[]).filter((name) => !/^(_|constructor$)/.test(name));
      const other = new Set([...LOCAL, ...LATER, 'importDB', byToken ? 'updateUser' : 'restartPanel']);
      if (byToken) other.add('logout');
      const called = opsOf(told).filter((op) => op !== 'surface' && !LATER.includes(op));
      expect(called).toStrictEqual(surface.filter((name) => !other.has(name)).sort());

      const absent = byToken ? LATER.filter((name) => name !== 'updateClientWithCredentials') : [];
      expect(refusals(told)).toStrictEqual(
        Object.fromEntries(absent.map((name) => [name, 'Request failed with status code 404'])),
      );
      const no = told.filter(({ value }) => (value as { success?: boolean } | undefined)?.success === false);
      expect(no.map(({ op }) => op)).toStrictEqual([
        // It names no outbound.
        'resetOutboundsTraffic',
        ...(byToken ? ['updateClientWithCredentials'] : []),
      ]);
      expect(deeds(panel.dataDir, head)).toStrictEqual([
        ...(byToken ? [] : ['LoggedIn']),
        // It logs in again after each 404, and gets one before it reads the counters.
        ...DEEDS.flatMap((type) => (type === 'LoggedIn again' ? (byToken ? [] : ['LoggedIn']) : [type])),
        ...(byToken ? ['PanelRestartRequested'] : [...renamed, ...renamed, 'LoggedIn']),
      ]);
      if (byToken) await until('the restart', () => recorded(panel.dataDir, 'PanelRestarted', head).length === 1);
    });

    it('restores a backup that it downloaded', async () => {
      const { panel } = stage;
      const told = await run({ username: panel.username, password: panel.password }, { import: true });
      expect(refusals(told)).toStrictEqual({});
      expect(valueOf(told, 'importDB')).toMatchObject({ success: true });
      const imported = () => recorded(panel.dataDir, 'StateImported').length === 1;
      await until('the same state, imported', imported);
    });
  });
});
