import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tables } from '../../src/http/panel/contract/index.js';
import type { Route } from '../../src/http/panel/contract/route.js';
import { withoutCore } from '../kit/real/core-process.js';
import { inboundCase, makeClient, makeContext } from '../kit/real/inbounds.js';
import {
  Admin,
  loopbackTemplate,
  must,
  type PanelProcess,
  startPanel,
  storeTemplate,
} from '../kit/real/panel-process.js';
import { addInbound, until } from './support.js';

const NO_CERTIFICATE = { certFile: '', keyFile: '', certPem: '', keyPem: '', pin: '', remove: () => {} };
const SUITE = 'secrets are not exposed';

/** A unique value for each secret. */
const CANARY = {
  password: 'canary-password-5f0e21',
  typed: 'canary-mistyped-91bb07',
  apiToken: 'canary-api-token-0123456789abcdef-7c1d44',
  chatBotToken: '123456:canary-bot-token-3a90c2',
  chatBotProxy: 'socks5://user:canary-proxy-6612fe@198.51.100.1:1080',
  ldapPassword: 'canary-ldap-password-b02e9d',
  backupPassphrase: 'canary-passphrase-44d1aa',
  twoFactorToken: 'CANARYTWOFACTORTOKENABCDEF234567',
  wgprov: 'canary-wg-license-a71f03',
  vpnprov: 'canary-vpn-key-cc5210',
  outbound: 'canary-outbound-password-18efb4',
  email: 'canary-email-2207d1@example.org',
  subId: 'canary-subid-9d3f6e',
  comment: 'canary-comment-e4470b',
  clientPassword: 'canary-client-password-7b2d90',
} as const;
type Canary = keyof typeof CANARY;

/** Replies that may contain a secret. Everything else is a leak. */
const PLACES: readonly (readonly [RegExp, readonly Canary[]])[] = [
  [/\/panel\/(setting|api\/setting)\/getApiToken$/, ['apiToken']],
  // The owner reads the inbounds with their clients, and the template with its outbounds.
  [/\/panel\/api\/inbounds\//, ['email', 'subId', 'comment', 'clientPassword']],
  [/\/panel\/api\/clients\/(page|search)$/, ['email', 'subId', 'comment']],
  [/\/panel\/api\/clients\/(export|top)$/, ['email', 'comment']],
  [/\/panel\/api\/clients\/links$/, ['email', 'clientPassword']],
  // The form of a client shows its credentials.
  [/\/panel\/api\/clients\/[^/]+\/details$/, ['email', 'subId', 'comment', 'clientPassword']],
  [/\/panel\/api\/clients\/[^/]+\/profiles\/\d+$/, ['email', 'clientPassword']],
  [/\/panel\/api\/clients\/[^/]+\/(why|statement)$/, ['email']],
  [/\/panel\/api\/audit\/(page|export|diff|\d+)$/, ['email']],
  // A client may ask for all of its data.
  [/\/panel\/api\/personalData\/export\/[^/]+$/, ['email', 'subId', 'comment', 'clientPassword']],
  // A billing program requests the events of clients.
  [/\/panel\/api\/events$/, ['email']],
  [/\/(getConfigJson)$/, ['email', 'clientPassword', 'outbound']],
  [/\/panel\/(core|xray|api\/xray)\/$/, ['outbound']],
  // The registration at a provider is shown to the page that makes an outbound of it.
  [/\/(wgprov|warp)\//, ['wgprov']],
  [/\/(vpnprov|nord)\//, ['vpnprov']],
  [/^\/sub\//, ['clientPassword']],
];

const RECOUNT = JSON.stringify({ rules: [{ count: 2 }], all: true });

/** Files that must contain a secret; they have mode 0600 in a folder with 0700. */
const FILES: readonly (readonly [RegExp, readonly Canary[]])[] = [
  [/^run\/(core|xray|config|applied)[^/]*(\/.*)?$/, ['email', 'clientPassword', 'outbound']],
];

/** Routes that end the panel, the session or the token of this test. */
const LEFT_OUT =
  /logout|restartPanel|regenerateApiToken|stop\w+Service|updatePanel|install\w+|updateUser|\/del|reset|setting\/secret|personalData\/erase/;

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  let panel: PanelProcess;
  let admin: Admin;

  beforeAll(async () => {
    panel = await startPanel({ password: CANARY.password, env: { PORTOLAN_LOG_LEVEL: 'trace' } });
    admin = await panel.admin();
    await storeTemplate(
      admin,
      loopbackTemplate({
        outbounds: [
          { tag: 'direct', protocol: 'freedom', settings: {} },
          { tag: 'blocked', protocol: 'blackhole', settings: {} },
          {
            tag: 'far',
            protocol: 'trojan',
            settings: { servers: [{ address: '198.51.100.2', port: 443, password: CANARY.outbound }] },
          },
        ],
      }),
    );
    const secrets = [
      'chatBotToken',
      'chatBotProxy',
      'ldapPassword',
      'backupPassphrase',
      'twoFactorToken',
      'apiToken',
    ] as const;
    for (const key of secrets) await must(admin.post('/panel/setting/secret', { key, value: CANARY[key] }));
    const registration = (value: string) => JSON.stringify({ private_key: value, license_key: value });
    for (const key of ['wgprov', 'vpnprov'] as const)
      await must(admin.post('/panel/setting/secret', { key, value: registration(CANARY[key]) }));
    const context = makeContext({ certificate: NO_CERTIFICATE, realityTarget: '', targetPort: 9 });
    const client = makeClient({ email: CANARY.email, subId: CANARY.subId, password: CANARY.clientPassword });
    await addInbound(admin, inboundCase(context, 'ss-aes-256-gcm'), [client]);
  });

  afterAll(() => panel?.cleanUp());

  it('in any reply to any caller', async () => {
    const leaks: string[] = [];
    const routes = Object.values(tables).flatMap((table) => Object.values(table) as Route[]);
    const askers: [string, Admin][] = [
      ['session', admin],
      ['token', admin.bearer(CANARY.apiToken)],
      ['nobody', new Admin(panel.url)],
    ];
    for (const route of routes) {
      for (const at of [route.path, ...route.aliases]) {
        if (LEFT_OUT.test(at)) continue;
        const filled = at.replace(':email', CANARY.email).replace(':subId', CANARY.subId).replace(/:\w+/g, '1');
        const path = `${filled}${at.endsWith('/audit/capsule') ? `?client=${CANARY.email}` : ''}`;
        for (const [who, asker] of askers) {
          const body = at.endsWith('/recount/preview') ? RECOUNT : '{}';
          const init = route.method === 'GET' ? {} : { headers: { 'content-type': 'application/json' }, body };
          const response = await asker.raw(route.method, path, init);
          const text = `${[...response.headers].join('\n')}\n${await response.text()}`;
          const allowed = who === 'nobody' ? [] : placesOf(PLACES, path);
          leaks.push(...found(text, allowed).map((name) => `${name} in ${route.method} ${path} for ${who}`));
        }
      }
    }
    const subscription = await (await fetch(`${panel.subUrl}/sub/${CANARY.subId}`)).text();
    leaks.push(...found(subscription, placesOf(PLACES, '/sub/')).map((name) => `${name} in the subscription`));
    expect(leaks).toStrictEqual([]);
  });

  it('in rejections, which neither return nor record the input', async () => {
    const unauthorized = new Admin(panel.url, { username: 'operator', password: CANARY.typed });
    const answer = await unauthorized.login('000000');
    expect(answer.success).toBe(false);
    const wrong = await admin.post('/panel/setting/update', { chatBotToken: `${CANARY.typed}\n`, webPort: 0 });
    const twisted = await admin.post('/panel/core/update', { coreSetting: `{"a": ${CANARY.typed}` });
    const asked = await admin.raw('GET', `/panel/api/nothing?token=${CANARY.apiToken}`, {
      headers: { authorization: `Bearer ${CANARY.typed}` },
    });
    const said = [JSON.stringify([answer, wrong, twisted]), await asked.text()].join('\n');
    expect(found(said, [])).toStrictEqual([]);
  });

  it('in log lines, events, snapshots or any other file, even after a crash', async () => {
    panel.kill('SIGKILL');
    await panel.exited;
    const { dataDir, ports } = panel;
    const crashed = panel;
    panel = await startPanel({ dataDir, ports, env: { PORTOLAN_LOG_LEVEL: 'trace' } });
    admin = new Admin(panel.url, { username: 'operator', password: CANARY.password });
    await must(admin.login());
    await until('the core runs', async () => {
      const { obj } = await admin.get<{ core: { state: string } }>('/panel/api/server/status');
      return obj.core.state === 'running';
    });
    await panel.stop();
    const lines = [crashed.stdout(), crashed.stderr(), panel.stdout(), panel.stderr()].join('\n');
    expect(found(lines, [])).toStrictEqual([]);

    const leaks: string[] = [];
    for (const file of filesUnder(dataDir)) {
      const name = relative(dataDir, file);
      // Latin-1 keeps every byte; UTF-16 and base64 would be other ways to leak.
      const bytes = readFileSync(file).toString('latin1');
      leaks.push(...found(bytes, placesOf(FILES, name)).map((canary) => `${canary} in ${name}`));
    }
    expect(leaks).toStrictEqual([]);
    expect(filesUnder(dataDir).some((file) => file.endsWith('events.db'))).toBe(true);
  });
});

function placesOf(places: readonly (readonly [RegExp, readonly Canary[]])[], place: string): readonly Canary[] {
  return places.flatMap(([pattern, canaries]) => (pattern.test(place) ? canaries : []));
}

/** The secrets that a text contains: in plain text, in base64 and in hex. */
function found(text: string, allowed: readonly Canary[]): Canary[] {
  return (Object.keys(CANARY) as Canary[]).filter((name) => {
    if (allowed.includes(name)) return false;
    const value = CANARY[name];
    const bytes = Buffer.from(value);
    return [value, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')].some((spelt) =>
      text.includes(spelt),
    );
  });
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return entry.isFile() ? [path] : [];
  });
}
