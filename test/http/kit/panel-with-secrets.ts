import { expect } from 'vitest';
import { NO_QUOTAS } from '../../../src/events/access/access-of.js';
import { tables } from '../../../src/http/panel/contract/index.js';
import type { Route } from '../../../src/http/panel/contract/route.js';
import { defaultTemplate } from '../../../src/projections/core/template.js';
import { startPanel } from './panel.js';

/** A value for each secret, which occurs nowhere else. */
export const SECRET = {
  uuid: 'b8c1d2e3-6324-4d53-ad4f-8cdaaaaaaaaa',
  subId: 'canary-subscription',
  realityKey: 'yCanaryRealityKeyQz3mEaRZ8CpXrK8mCv8fS2rGQ0',
  seed: 'canary-mldsa-seed',
  tlsKey: 'canary-tls-key-line',
  trojan: 'canary-trojan-password',
  account: 'canary-account-password',
  outbound: 'canary-outbound-password',
  wireguard: 'canary-wireguard-key',
  vmess: 'c9d2e3f4-6324-4d53-ad4f-8cdbbbbbbbbb',
  vless: 'd0e3f4a5-6324-4d53-ad4f-8cdccccccccc',
  spelled: 'canary-wireguard-key-spelled-otherwise',
  webhook: 'canary-webhook-path',
  header: 'Basic canary-proxy-authorization',
  ownHeader: 'canary-own-header',
  userInfo: 'canary-user-info',
} as const;

export const routes = Object.values(tables).flatMap((table): Route[] => Object.values(table));
/** Roles that read documents and cannot change them. */
export const READERS = ['auditor', 'looker'];

/** A panel with all of them, and an admin of each role. */
export async function panelWithSecrets() {
  const panel = await startPanel();
  const owner = await panel.browser().login();
  const must = async (path: string, body: object) => {
    const answer = await owner.post(path, body);
    expect(answer.json, answer.text).toMatchObject({ success: true });
  };
  const inbound = (over: object) => ({
    ...{ enable: true, remark: 'r', protocol: 'vless', port: 2443, sniffing: '{"enabled":false}' },
    streamSettings: '{"network":"tcp","security":"none"}',
    ...over,
  });
  const client = { id: SECRET.uuid, email: 'ann', subId: SECRET.subId, enable: true };
  await must('/panel/api/inbounds/add', {
    ...inbound({ settings: JSON.stringify({ decryption: 'none', clients: [client] }) }),
    streamSettings: JSON.stringify({
      ...{ network: 'tcp', security: 'reality' },
      realitySettings: {
        ...{ target: 'example.org:443', serverNames: ['example.org'], shortIds: ['ab'] },
        ...{ privateKey: SECRET.realityKey, mldsa65Seed: SECRET.seed },
        settings: { publicKey: 'public-key-of-reality', fingerprint: 'chrome' },
      },
    }),
  });
  await must(
    '/panel/api/inbounds/add',
    inbound({
      ...{ protocol: 'trojan', port: 2444 },
      settings: JSON.stringify({ clients: [{ password: SECRET.trojan, email: 'bob', enable: true }] }),
      streamSettings: JSON.stringify({
        ...{ network: 'tcp', security: 'tls' },
        tlsSettings: { certificates: [{ certificate: ['public line'], key: [SECRET.tlsKey] }] },
      }),
    }),
  );
  const accounts = [{ user: 'sue', pass: SECRET.account }];
  const settings = JSON.stringify({ auth: 'password', accounts });
  await must('/panel/api/inbounds/add', inbound({ protocol: 'socks', port: 2445, settings }));
  const template = defaultTemplate as { readonly outbounds?: readonly object[] };
  const outbounds = [
    ...(template.outbounds ?? []),
    {
      ...{ tag: 'far', protocol: 'trojan' },
      settings: { servers: [{ address: '198.51.100.2', port: 443, password: SECRET.outbound }] },
    },
    {
      tag: 'wg',
      protocol: 'wireguard',
      settings: { secretKey: SECRET.wireguard, address: ['10.0.0.2/32'], peers: [] },
    },
    {
      tag: 'wg2',
      protocol: 'wireguard',
      settings: { SecretKey: SECRET.spelled, address: ['10.0.0.3/32'], peers: [] },
    },
    {
      ...{ tag: 'proxy', protocol: 'http' },
      settings: {
        servers: [{ address: '198.51.100.5', port: 3128 }],
        headers: { 'Proxy-Authorization': SECRET.header, 'X-Own-Login': SECRET.ownHeader, 'User-Agent': 'curl' },
      },
    },
    {
      tag: 'vm',
      protocol: 'vmess',
      settings: { address: '198.51.100.3', port: 443, id: SECRET.vmess, security: 'auto' },
    },
    {
      tag: 'vl',
      protocol: 'vless',
      settings: { vnext: [{ address: '198.51.100.4', port: 443, users: [{ id: SECRET.vless }] }] },
    },
  ];
  const dns = { servers: [`https://ann:${SECRET.userInfo}@dns.example/dns-query`] };
  const xraySetting = JSON.stringify({ ...template, outbounds, dns });
  await must('/panel/api/xray/update', { xraySetting });
  const url = `https://hooks.example/${SECRET.webhook}`;
  await must('/panel/api/webhooks/add', { name: 'shop', url, types: [] });
  const { password: _, ...changes } = NEVER_SHOWN;
  panel.given({ type: 'ChangeSettings', data: { changes } });
  const grants = routes.flatMap(({ permission }) => {
    if (permission === null || permission.resource === 'tokens') return [];
    // To check the core configuration, or to restart the core, does not need its secrets.
    const isRun = permission.resource === 'core' && permission.action === 'run';
    return permission.action === 'read' || isRun ? [`${permission.resource}:${permission.action}` as const] : [];
  });
  const named = [...new Set(grants)].map((permission) => ({ permission, scope: 'all' as const }));
  panel.given({ type: 'DefineRole', data: { role: 'looker', grants: named } });
  for (const role of [...READERS, 'operator', 'support']) {
    const data = {
      username: role,
      passwordHash: 'plain long enough',
      access: { role, inbounds: [], quotas: NO_QUOTAS },
    };
    panel.given({ type: 'CreateUser', data });
  }
  return { panel, owner, as: (username: string) => panel.browser().login({ username, password: 'long enough' }) };
}

/** Secret settings and passwords of admins, which no role reads. */
export const NEVER_SHOWN = {
  chatBotToken: '123456:canary-bot-token-3a90c2',
  chatBotProxy: 'socks5://user:canary-proxy-6612fe@198.51.100.1:1080',
  ldapPassword: 'canary-ldap-password',
  backupPassphrase: 'canary-passphrase',
  password: 'long enough',
} as const;

/** The secrets that a text contains, by name. */
export const found = (text: string, secrets: Readonly<Record<string, string>> = SECRET): readonly string[] =>
  Object.entries(secrets).flatMap(([name, value]) => (text.includes(value) ? [name] : []));
