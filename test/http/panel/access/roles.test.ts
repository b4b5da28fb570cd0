import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { reject } from '../../../../src/commands/rejection.js';
import type { RoleGrant } from '../../../../src/events/access/access.js';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import type { Route } from '../../../../src/http/panel/contract/route.js';
import { mount } from '../../../../src/http/panel/mount.js';
import { permissionName } from '../../../../src/lib/permissions.js';
import { newTokenSecret } from '../../../../src/lib/secrets/token-secret.js';
import { defaultTemplate } from '../../../../src/projections/core/template.js';
import { alice, inboundDraft, one, userId } from '../../../kit/builders.js';
import { type Answer, startPanel } from '../../kit/panel.js';

const { auth, account, passkeys, factors, ...others } = tables;
/** The tables that a login needs have their handlers; with an empty body they change nothing. */
const all = [...Object.values(others), account, factors, passkeys, auth].flatMap((table): Route[] =>
  Object.values(table),
);
const guarded = all.filter(({ permission }) => permission !== null);
/** What comes before a login. */
const open = all.filter(({ auth: needed }) => needed === 'none');
/** What needs a login and no permission. */
const own = all.filter((route) => route.permission === null && !open.includes(route));
const everyone = ['account:read', 'account:update', 'docs:read', 'keys:create'];
const forbiddenToOperators = [
  ...['admins:read', 'admins:create', 'admins:update', 'admins:delete', 'secrets:update'],
  ...['tokens:read', 'tokens:create', 'tokens:update', 'tokens:delete', 'backups:export', 'backups:restore'],
  ...['personalData:hold', 'audit:export', 'audit:recount', 'cluster:create'],
];

/** What each role may do, apart from the table of the product. */
const expected: Readonly<Record<string, (name: string, filtered: boolean) => boolean>> = {
  owner: () => true,
  operator: (name) => !forbiddenToOperators.includes(name),
  support: (name) => [...everyone, 'clients:read', 'clients:reset', 'clients:extend'].includes(name),
  auditor: (name) => everyone.includes(name) || (name.endsWith(':read') && name !== 'tokens:read'),
  reseller: (name, filtered) =>
    everyone.includes(name) ||
    (filtered &&
      (/^clients:(read|create|update|extend|delete)$/.test(name) || name === 'audit:read' || name === 'audit:undo')),
  metrics: (name) => name === 'metrics:read',
  monitoring: (name) => /^(metrics|server|nodes|cluster|backups|releases|geo):read$/.test(name),
  nothing: (name) => name === 'logs:read',
  // A role that reads all clients, and changes and follows its own.
  mixed: (name, filtered) =>
    ['account:read', 'account:update', 'clients:read', 'inbounds:read'].includes(name) ||
    (filtered && (/^clients:(create|update|extend|reset|delete)$/.test(name) || name === 'audit:read')),
};

/** The roles that a panel of these tests has besides the built-in ones. */
const DEFINED: Readonly<Record<string, readonly RoleGrant[]>> = {
  nothing: [{ permission: 'logs:read', scope: 'all' }],
  mixed: [
    ...(['account:read', 'account:update', 'clients:read', 'inbounds:read'] as const).map((permission) => ({
      permission,
      scope: 'all' as const,
    })),
    ...(['create', 'update', 'reset', 'delete'] as const).map((action) => ({
      permission: `clients:${action}`,
      scope: 'own' as const,
    })),
    { permission: 'audit:read', scope: 'own' },
  ],
};

function defineRoles(panel: Awaited<ReturnType<typeof startPanel>>): void {
  for (const [role, grants] of Object.entries(DEFINED)) panel.given({ type: 'DefineRole', data: { role, grants } });
}

const NODE_SPEC = {
  ...{
    name: 'far',
    remark: '',
    scheme: 'https',
    host: '192.0.2.7',
    port: 2053,
    basePath: '/',
    allowPrivateAddress: false,
  },
} as const;

/** Never permitted to a token, so that a stolen one does not create others. */
const forbiddenToTokens = [
  ...['admins:create', 'admins:update', 'admins:delete'],
  ...['tokens:read', 'tokens:create', 'tokens:update', 'tokens:delete'],
];

/** A panel whose handlers all reject, so that a request that passes the guard does nothing. */
async function start() {
  const reached = reject('CORE_NOT_RUNNING');
  const panel = await startPanel({
    bind: (router, gate) => {
      for (const table of Object.values(others)) {
        const handlers = Object.fromEntries(Object.keys(table).map((name) => [name, () => reached]));
        mount(router, table as never, handlers as never, gate, {});
      }
    },
  });
  defineRoles(panel);
  panel.given({ type: 'AddInbound', data: { ...inboundDraft(), owner: userId(1) } });
  return panel;
}

type Call = (method: string, path: string, body?: object) => Promise<Answer>;

/** The routes whose answer does not fit the role. */
async function misfits(call: Call, may: (name: string, filtered: boolean) => boolean, routes = guarded) {
  const wrong: string[] = [];
  for (const route of routes) {
    if (route.permission === null) continue;
    const name = permissionName(route.permission);
    for (const path of [route.path, ...route.aliases].map((one) => one.replaceAll(/:\w+/g, '1'))) {
      const { status, json } = await call(route.method, path, route.method === 'POST' ? {} : undefined);
      const isRefused = status === 403;
      if (isRefused === may(name, route.filtered)) wrong.push(`${status} ${route.method} ${path} ${name}`);
      const code = (json as { code?: string } | undefined)?.code ?? '';
      if (isRefused && !['FORBIDDEN', 'OUT_OF_SCOPE'].includes(code)) wrong.push(`${path}: ${code}`);
      if (isRefused && !String(json?.msg).includes(name)) wrong.push(`${path} does not name ${name}: ${json?.msg}`);
    }
  }
  return wrong;
}

const passwordOf = { password: 'long enough' };

/** Logs in as an admin with a role. */
async function loginAs(panel: Awaited<ReturnType<typeof startPanel>>, role: string) {
  if (role === 'owner') return panel.browser().login();
  const access = { role, inbounds: [one], quotas: NO_QUOTAS };
  panel.given({ type: 'CreateUser', data: { username: role, passwordHash: 'plain long enough', access } });
  return panel.browser().login({ username: role, ...passwordOf });
}

/** What arrives in the WebSocket of a role while this happens. `until` is the last message of an owner. */
async function pushedTo(panel: Awaited<ReturnType<typeof startPanel>>, cookies: readonly string[], happen: () => void) {
  const sockets = await Promise.all(
    cookies.map(async (cookie) => {
      const socket = new WebSocket(`ws://127.0.0.1:${panel.port}/ws`, { headers: { cookie } });
      onTestFinished(() => socket.terminate());
      const pushed = new Set<string>();
      socket.on('message', (data) => {
        const { type, resource = '' } = JSON.parse(String(data)) as { type: string; resource?: string };
        pushed.add(`${type} ${resource}`.trim());
      });
      await once(socket, 'open');
      return { socket, pushed };
    }),
  );
  happen();
  // The messages of a socket arrive in order.
  for (const { socket } of sockets) {
    socket.ping();
    await once(socket, 'pong');
  }
  return sockets.map(({ pushed }) => [...pushed].sort());
}

describe('each route', () => {
  it.each(Object.keys(expected))('lets a token with the role %s do what it may, and nothing else', async (role) => {
    const panel = await start();
    const { secret, ...stored } = newTokenSecret();
    const of = { role, inbounds: [one], admin: ['reseller', 'mixed'].includes(role) ? userId(1) : null };
    panel.given({ type: 'CreateToken', data: { name: 'program', ...of, expiresAt: 0, addresses: [], ...stored } });
    const call: Call = (method, path, body) =>
      panel.call(method, path, {
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const may = (name: string, filtered: boolean): boolean =>
      expected[role]?.(name, filtered) === true && !forbiddenToTokens.includes(name);
    const byToken = guarded.filter(({ auth }) => auth === 'panel');
    expect(await misfits(call, may, byToken)).toStrictEqual([]);
    for (const route of guarded.filter(({ auth }) => auth === 'session')) {
      const { status } = await call(route.method, route.path.replaceAll(/:\w+/g, '1'));
      expect([route.path, status]).toStrictEqual([route.path, 404]);
    }
  });

  it.each(Object.keys(expected))('lets the role %s do what it may, and nothing else', async (role) => {
    const panel = await start();
    const browser = await loginAs(panel, role);
    const call: Call = (method, path, body) => browser.send(method, path, body);
    expect(await misfits(call, expected[role] ?? (() => false))).toStrictEqual([]);
    expect(own.map(({ path }) => path).sort()).toStrictEqual([
      ...['/logout', '/panel/setting/sessions/end', '/panel/setting/sessions/endOthers'],
    ]);
    for (const { method, path } of own.toSorted((a, b) => Number(a.path === '/logout') - Number(b.path === '/logout')))
      expect([path, (await call(method, path, {})).status]).toStrictEqual([path, 200]);
    const again = await panel.call('GET', '/panel/setting/sessions', { headers: { cookie: browser.cookie } });
    expect([again.status, again.json?.success]).not.toStrictEqual([200, true]);
    const visitor = panel.browser();
    for (const { method, path } of open) {
      const { status } = await visitor.send(method, path, method === 'POST' ? {} : undefined);
      expect([path, status]).toStrictEqual([path, 200]);
    }
  });

  it.each(Object.keys(expected))(
    'sends to the WebSocket of the role %s what it may read, and nothing else',
    async (role) => {
      const panel = await startPanel();
      defineRoles(panel);
      panel.given({ type: 'AddInbound', data: { ...inboundDraft(), owner: userId(1) } });
      panel.given({ type: 'AddClients', data: { inbound: one, clients: [alice] } });
      const browsers = [await loginAs(panel, role), await panel.browser().login()];
      const cookies = browsers.map(({ cookie }) => cookie);
      const [pushed, toOwner] = await pushedTo(panel, cookies, () => {
        panel.given({ type: 'ChangeSettings', data: { changes: { pageSize: 17 } } });
        panel.given({ type: 'AdjustClientTraffic', data: { email: alice.identity.email, up: 1, down: 2 } });
        panel.given({ type: 'AddNode', data: { spec: NODE_SPEC, enabled: true, token: 'a'.repeat(32) } });
        panel.given({ type: 'CreateUser', data: { username: 'another', passwordHash: 'hash' } });
        const data = { template: defaultTemplate, outboundTestUrl: 'http://192.0.2.1/' };
        panel.given({ type: 'ChangeCoreTemplate', data });
        const traffic = { clients: [[1, 5, 7]], inbounds: [[one, 5, 7]], outbounds: [] } as const;
        panel.given({ type: 'RecordTraffic', data: { run: 'r', ...traffic } });
        panel.given({ type: 'RecordCoreStarted', data: { run: 'r', version: '1', reason: 'start' } });
        panel.tick();
      });
      const may = (name: string): boolean => expected[role]?.(name, false) === true;
      const wanted = [
        ...(may('clients:read') ? ['invalidate inbounds', 'traffic'] : []),
        ...(may('core:read') ? ['invalidate core'] : []),
        ...(may('nodes:read') ? ['invalidate nodes'] : []),
        ...(may('settings:read') ? ['invalidate settings'] : []),
        ...(may('server:read') ? ['status', 'xrayState'] : []),
        ...(may('admins:read') ? ['invalidate users'] : []),
        ...(may('clients:read') && may('server:read') ? ['notification'] : []),
      ];
      expect(toOwner).toContain('invalidate users');
      expect(pushed?.filter((one) => one !== 'notification')).toStrictEqual(
        wanted.filter((one) => one !== 'notification').sort(),
      );
      expect(pushed?.includes('notification')).toBe(
        toOwner?.includes('notification') && wanted.includes('notification'),
      );
    },
  );

  it('records refused requests, at most once a minute for each reason', async () => {
    const panel = await start();
    const access = { role: 'auditor', inbounds: [], quotas: NO_QUOTAS };
    const data = { username: 'checker', passwordHash: 'plain long enough', access };
    panel.given({ type: 'CreateUser', data });
    const browser = await panel.browser().login({ username: 'checker', password: 'long enough' });
    const from = panel.log.head().position;
    for (let i = 0; i < 5; i += 1) await browser.post('/panel/api/inbounds/add');
    await browser.post('/panel/api/nodes/add');
    panel.later(61_000);
    await browser.post('/panel/api/inbounds/add');
    const refused = panel.log.read(from, 100).filter(({ type }) => type === 'CommandRefused');
    const told = refused.map((event) => {
      const { reason, permission, count } = event.data as { reason: string; permission: string; count: number };
      return [reason, permission, count];
    });
    expect(told).toStrictEqual([
      ['permission', 'inbounds:create', 1],
      ['permission', 'nodes:create', 1],
      ['permission', 'inbounds:create', 5],
    ]);
    expect(refused[0]?.meta.actor).toMatchObject({ kind: 'user', name: 'checker' });
  });
});
