import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/http/panel/openapi/document.js';
import { fakePanel } from '../kit/fake-panel.js';
import { zipOf } from '../kit/formats/zip.js';
import { geoipFile } from '../kit/geo.js';
import { coreBinary, withoutCore } from '../kit/real/core-process.js';
import { coreAs, putCore } from '../kit/real/core-versions.js';
import { type DiskFault, failingDisk } from '../kit/real/faults/failing-disk.js';
import { type Admin, loopbackTemplate, must, type PanelProcess, startPanel } from '../kit/real/panel-process.js';
import { freePort } from '../kit/real/ports.js';
import { type BotServer, startBotServer } from '../kit/real/servers/bot-server.js';
import { coreAssets, panelAssets, type ReleaseServer, startReleaseServer } from '../kit/real/servers/release-server.js';
import { recorded, subscription, until } from './support.js';

const CHAT = 71;
const CLIENT = { id: '7f1b1a3e-6c54-4b6e-9d7a-3d2f6d1c9a11', email: 'ann@example.com', subId: 'sub-1', enable: true };
const OTHER = { id: '7f1b1a3e-6c54-4b6e-9d7a-3d2f6d1c9a12', email: 'bob@example.com', subId: 'sub-2', enable: true };

/** Values for the parameters of paths. */
const PARAMETERS: Readonly<Record<string, string>> = {
  position: '1',
  ...{ id: '1', email: CLIENT.email, clientId: CLIENT.id, subId: CLIENT.subId, bucket: '60' },
  ...{ tag: 'direct', count: '10', version: 'v26.7.29', fileName: 'geoip.dat', action: 'data', file: 'start.js' },
};

const template = JSON.stringify(loopbackTemplate({ policy: { levels: { 0: { handshake: 5 } } } }));
const clients = (...some: object[]) => JSON.stringify({ clients: some });
/** An answer of a browser for a passkey. */
const credential = {
  ...{ id: 'AQ', rawId: 'AQ', type: 'public-key' },
  response: { clientDataJSON: 'e30', attestationObject: 'AQ', authenticatorData: 'AQ', signature: 'AQ' },
};
/** Bodies with which a route would change something or write a file, by the end of its path. */
function bodies(port: number, lists: string): readonly (readonly [RegExp, object])[] {
  const inbound = { enable: true, port, protocol: 'vless', listen: '127.0.0.1', streamSettings: '{"network":"tcp"}' };
  const settings = JSON.stringify({ clients: [], decryption: 'none' });
  return [
    [/inbounds\/add$/, { ...inbound, settings }],
    [/inbounds\/(check|preview)$/, { ...inbound, settings }],
    [/inbounds\/importAll$/, { inbounds: [{ ...inbound, settings }] }],
    [/clients\/change$/, { action: 'disable', clients: [1] }],
    [/inbounds\/import$/, { data: JSON.stringify({ ...inbound, settings }) }],
    [/inbounds\/update\/:id$/, { remark: 'another', port }],
    [/inbounds\/setEnable\/:id$/, { enable: false }],
    [/addClient$/, { id: 1, settings: clients(OTHER) }],
    [/updateClient\/:clientId$/, { id: 1, settings: clients({ ...CLIENT, comment: 'x' }) }],
    [/updateClientTraffic\/:email$/, { upload: 5, download: 5 }],
    [/copyClients$/, { sourceInboundId: 2 }],
    [/setting\/update$/, { subAnnounce: 'x' }],
    [/setting\/secret$/, { key: 'chatBotToken', value: 'another' }],
    [
      /updateUser$/,
      { oldUsername: 'operator', oldPassword: 'correct-horse-7-staple', newUsername: 'a', newPassword: 'b2c3d4e5f6g7' },
    ],
    [/(core|xray)\/(update|check)$/, { coreSetting: template, outboundTestUrl: '' }],
    [/resetOutboundsTraffic$/, { tag: '-alltags-' }],
    [/testOutbound$/, { outbound: '{"tag":"direct","protocol":"freedom"}', mode: 'http' }],
    [/custom-geo\/add$/, { type: 'geosite', alias: 'second', url: `${lists}/second.json` }],
    [/custom-geo\/update\/:id$/, { type: 'geosite', alias: 'first', url: `${lists}/second.json` }],
    [/nodes\/add$/, { name: 'two', host: '203.0.113.2', port: 443, apiToken: 't' }],
    [/nodes\/update\/:id$/, { name: 'one', host: '203.0.113.1', port: 444, apiToken: 't' }],
    [/nodes\/setEnable\/:id$/, { enable: true }],
    [/getNew(EchCert|SelfSignedCert)$/, { sni: 'example.com' }],
    [/logs\/:count$/, { level: 'error' }],
    [/admins\/add$/, { username: 'helper', password: 'b2c3d4e5f6g7', role: 'support' }],
    [/admins\/password\/:id$/, { password: 'c3d4e5f6g7h8' }],
    [/admins\/handOver$/, { clients: [1], owner: 0 }],
    [/passkeys\/add$/, { name: 'phone', response: credential }],
    [/passkey\/login$/, { response: credential }],
    [/tokens\/add$/, { name: 'shop', role: 'support' }],
    [/roles\/save$/, { name: 'lead', grants: [{ permission: 'logs:read' }] }],
    [/personalData\/hold$/, { from: 1, to: 2, reason: 'court order' }],
    [/webhooks\/(add|update\/:id)$/, { name: 'billing', url: `${lists}/hook`, types: [] }],
    [/recount\/(preview|apply)$/, { rules: [{ count: 0.5 }], all: true }],
    [/webhooks\/replay\/:id$/, { after: 0 }],
    [/webhooks\/(redeliver|discard)\/:id$/, { position: 1 }],
    [/cluster\/(approve|remove)$/, { member: 'two', fingerprint: 'AAAAA-AAAAA-AAAAA-AAAAA' }],
  ];
}

/** Routes that would end the others come last. */
const place = (route: string): number =>
  [/stopCoreService/, /restartCoreService/, /restartPanel/].findIndex((late) => late.test(route));
const routes = operations()
  .map(({ route }) => route)
  .filter(({ path }) => path !== '/logout')
  .sort((a, b) => place(a.path) - place(b.path));

const QUERIES: readonly (readonly [RegExp, string])[] = [
  [/\/statement$/, '?client=1'],
  [/\/audit\/diff$/, '?from=1&to=1'],
  [/\/events$/, '?after=0&limit=10&wait=0'],
  [/\/audit\/diff$/, '?from=1&to=2'],
  [/\/proof\/consistency$/, '?from=1'],
  [/\/audit\/capsule$/, '?around=1'],
];

/** A path with values for its parameters. */
function filled(path: string): string {
  const own: Readonly<Record<string, string>> = {
    metric: path.includes('coreMetrics') ? 'coreAlloc' : 'cpu',
    ...(path.includes('getClientTrafficsById') ? { id: CLIENT.id } : {}),
  };
  const query = QUERIES.find(([end]) => end.test(path))?.[1] ?? '';
  const part = (name: string): string => encodeURIComponent(own[name] ?? PARAMETERS[name] ?? name);
  return path.replace(/:(\w+)/g, (_, name: string) => part(name)) + query;
}

/** The cause in the messages. SQLite reports every failed write or read as an I/O error. */
const CAUSES: Readonly<Record<DiskFault, RegExp>> = {
  full: /disk is full|too little free space/,
  'read-only': /file system is read-only|no permission to write to the data directory|the disk reports an error/,
  failing: /the disk reports an error|no permission to write to the data directory/,
  gone: /the disk reports an error|no permission to write to the data directory|events\.db is damaged/,
};

/** Rejections for another reason, with any disk. */
const OTHER_REASONS: readonly (readonly [RegExp, RegExp])[] = [
  [/^\/login$/, /Username is required/],
  [/coreObservatoryHistory/, /invalid tag/],
  [/\/backups\/:name$/, /Backup name not found/],
  [/\/backups\/check$/, /is not in the list/],
  [/\/server\/restore$/, /check the file again/],
  [/\/sessions\/end$/, /already ended/],
  [/\/admins\/del\/:id$/, /last owner/],
  [/\/roles\/del\/:name$/, /Role name not found/],
  [/\/tokens\/(update|rotate|revoke)\/:id$/, /Token 1 not found/],
  [/\/passkeys?\/(options|login|add)$/, /Passkeys need HTTPS/],
  [/\/passkeys\/remove\/:id$/, /Passkey 1 not found/],
  [/\/twoFactor\/enable$/, /two-factor code is wrong/],
  [/\/twoFactor\/(disable|recoveryCodes)$/, /not set up/],
  [/\/undo$/, /Nothing of this can be undone/],
  [/\/certificate\/:position$/, /no certificate of erasure/],
  [/\/release\/:id$/, /Legal hold 1 not found/],
  [/\/webhooks\/\w+\/:id$/, /Webhook 1 not found/],
  [/\/proof\/received$/, /is missing/],
  [/\/cluster\/\w+$/, /not a member of a cluster/],
];

/** Long files, sent while they are read. */
const DOWNLOADS = /\/(proof\/events\.jsonl|audit\/capsule)$/;

const SUITE = 'a panel whose disk fails';
const disk = failingDisk('/nowhere');
disk?.remove();
if (!disk) process.stderr.write('\n!! No C compiler is installed: the failing disk is SKIPPED.\n\n');

describe.skipIf(withoutCore(SUITE) || !disk)(SUITE, () => {
  let releases: ReleaseServer;
  let bot: BotServer;

  beforeAll(async () => {
    releases = await startReleaseServer();
    const fresh = coreAs(coreBinary() ?? '', '26.7.29');
    releases.release('core', 'v26.7.29', coreAssets(zipOf([{ name: 'xray', data: fresh }])));
    releases.release('panel', 'v0.9.0', panelAssets('0.9.0', zipOf(fakePanel('0.9.0', 'process.exit(1);'))));
    releases.put('/Loyalsoldier/v2ray-rules-dat/releases/latest/download/geoip.dat', geoipFile('a', [1, 2, 3, 4], 32));
    const ruleSet = (domain: string) => JSON.stringify({ version: 1, rules: [{ domain: [domain] }] });
    releases.put('/first.json', ruleSet('first'));
    releases.put('/second.json', ruleSet('second'));
    bot = await startBotServer({ token: '4242:a-token' });
    bot.open(CHAT);
  });
  afterAll(() => Promise.all([releases?.stop(), bot?.stop()]));

  async function begin(): Promise<{ panel: PanelProcess; admin: Admin; disk: NonNullable<typeof disk> }> {
    const dataDir = mkdtempSync(join(tmpdir(), 'portolan-kit-data-'));
    chmodSync(dataDir, 0o700);
    putCore(dataDir, '26.7.27', coreAs(coreBinary() ?? '', '26.7.27'));
    const own = failingDisk(dataDir);
    if (!own) throw new Error('there is no C compiler');
    const panel = await startPanel({ dataDir, coreBin: '', env: { ...releases.env, ...own.env }, launcher: true });
    const admin = await panel.admin();
    const chat = {
      chatBotEnable: true,
      chatBotToken: '4242:a-token',
      chatBotAPIServer: bot.url,
      chatBotChatId: `${CHAT}`,
    };
    await must(admin.post('/panel/setting/update', chat));
    for (const some of [[CLIENT], []]) {
      const settings = JSON.stringify({ clients: some, decryption: 'none' });
      const inbound = { enable: true, port: await freePort(), protocol: 'vless', listen: '127.0.0.1', settings };
      await must(admin.post('/panel/api/inbounds/add', inbound));
    }
    await must(
      admin.post('/panel/api/nodes/add', { name: 'one', host: '203.0.113.1', port: 443, apiToken: 't', enable: false }),
    );
    await must(
      admin.post('/panel/api/custom-geo/add', { type: 'geosite', alias: 'first', url: `${releases.url}/first.json` }),
    );
    await until('the core runs', () => recorded(dataDir, 'CoreStarted').length > 0);
    return { panel, admin, disk: own };
  }

  /** The problem of a reply; null if it is a success or names the cause. */
  function problemIn(fault: DiskFault, path: string, status: number, text: string, dataDir: string): string | null {
    if (![200, 404, 503].includes(status)) return `${status} ${text.slice(0, 200)}`;
    const isNo = text.includes('"success":false');
    if ((isNo && text.includes(dataDir)) || /\bE(NOSPC|ROFS|IO|NOENT)\b/.test(text))
      return `tells too much: ${text.slice(0, 300)}`;
    if (!isNo || CAUSES[fault].test(text)) return null;
    return OTHER_REASONS.some(([where, why]) => where.test(path) && why.test(text)) ? null : text.slice(0, 200);
  }

  it.each(['full', 'read-only', 'failing', 'gone'] as const)(
    'that is %s: no route replies with 500 or ends the panel, and each rejection names the cause',
    async (fault) => {
      const { panel, admin, disk: own } = await begin();
      const backup = new Blob([await (await admin.raw('GET', '/panel/api/server/getDb')).arrayBuffer()]);
      const known = bodies(await freePort(), releases.url);
      const problems: string[] = [];
      let refused = 0;
      try {
        own.fail(fault);
        for (const route of routes) {
          const body = known.find(([end]) => end.test(route.path))?.[1] ?? {};
          const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
          const init: RequestInit = route.method === 'GET' ? {} : json;
          const upload = new FormData();
          upload.set('db', backup, 'panel.db');
          const answer = await admin.raw(route.method, filled(route.path), {
            ...(/\/(importDB|checkDB|diffUpload)$/.test(route.path) ? { body: upload } : init),
            signal: AbortSignal.timeout(60_000),
          });
          // A download that has begun cannot be rejected any more: it breaks off.
          const text = await answer.text().catch((error: unknown) => {
            if (DOWNLOADS.test(route.path)) return '';
            throw error;
          });
          const problem = problemIn(fault, route.path, answer.status, text, panel.dataDir);
          if (problem !== null) problems.push(`${route.method} ${route.path}: ${problem}`);
          if (text.includes('"success":false')) refused += 1;
        }
        expect(problems).toEqual([]);
        expect(refused).toBeGreaterThan(35);
        const look = await panel.admin();
        expect(await must(look.get<unknown[]>('/panel/api/inbounds/list'))).toHaveLength(2);
        expect(await subscription(panel, CLIENT.subId)).toHaveLength(1);
        expect((await fetch(`${panel.opsUrl}/metrics`)).status).toBe(200);
        expect((await fetch(`${panel.opsUrl}/readyz`)).status).toBe(503);
        expect(panel.stderr()).not.toContain('a request failed');
        if (fault === 'full') await recovers(panel, look, own);
      } finally {
        own.fail(null);
        await panel.stop();
        rmSync(panel.dataDir, { recursive: true, force: true });
        own.remove();
      }
    },
  );

  /** With space again, changes are saved, and the logins made meanwhile are in the log. */
  async function recovers(panel: PanelProcess, admin: Admin, own: NonNullable<typeof disk>): Promise<void> {
    const before = recorded(panel.dataDir, 'LoggedIn').length;
    own.fail(null);
    expect((await fetch(`${panel.opsUrl}/readyz`)).status).toBe(200);
    await until('the login is recorded', () => recorded(panel.dataDir, 'LoggedIn').length > before);
    await must(admin.post('/panel/setting/update', { subAnnounce: 'there is room' }));
  }
});
