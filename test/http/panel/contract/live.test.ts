import { describe, expect, it } from 'vitest';
import { reject } from '../../../../src/commands/rejection.js';
import type { Route } from '../../../../src/http/panel/contract/route.js';
import { operations } from '../../../../src/http/panel/openapi/document.js';
import { startPanel } from '../../kit/panel.js';
import { valueProblem } from '../../kit/shapes.js';
import { rows, subscriptionHeaders, subscriptionPaths } from '../../kit/specification.js';
import { usualStatus } from '../../kit/status.js';

const CLIENT = { id: '7f1b1a3e-6c54-4b6e-9d7a-3d2f6d1c9a11', email: 'ann@example.com', subId: 'sub-1' };
/** Values for the parameters of paths. */
const PARAMETERS: Readonly<Record<string, string>> = {
  id: '1',
  email: CLIENT.email,
  clientId: CLIENT.id,
  subId: CLIENT.subId,
  bucket: '60',
  metric: 'cpu',
  tag: 'direct',
  count: '10',
  version: 'latest',
  fileName: 'geoip.dat',
  action: 'data',
  file: 'start.js',
};
const BODIES: Readonly<Record<string, object>> = { '/panel/api/server/getNewEchCert': { sni: 'example.com' } };
/** Rows that need more than a stub of the core: the observatory is empty here. */
const NEEDS_MORE: ReadonlySet<string> = new Set(['/panel/api/server/coreObservatoryHistory/:tag/:bucket']);
const BUCKETS = [2, 30, 60, 120, 180, 300];

const filled = (path: string, also: Readonly<Record<string, string>> = {}): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent({ ...PARAMETERS, ...also }[name] ?? name));

const routes: readonly Route[] = operations().map(({ route }) => route);
const places = routes.flatMap((route) =>
  [route.path, ...route.aliases].map((path) => [`${route.method} ${path}`, route, path] as const),
);

/** A core that generates no keys, but replies as if it did. */
const core = {
  process: { output: () => 'started' },
  config: { assemble: () => ({ outbounds: [] }) },
  keys: {
    x25519: () => ({ privateKey: 'secret', publicKey: 'open' }),
    mldsa65: async () => ({ seed: 'secret', verify: 'open' }),
    mlkem768: async () => ({ seed: 'secret', client: 'open' }),
    vlessEncryption: async () => [{ label: 'X25519', decryption: 'secret', encryption: 'open' }],
    ech: async () => ({ serverKeys: 'secret', configList: 'open' }),
  },
};
const coreInstall = {
  list: async () => ({ versions: ['v26.7.28'], why: null }),
  installed: () => ({ versions: ['26.7.28'], fixedBy: 'the test' }),
  install: async () => reject('CORE_FIXED', { by: 'the test' }),
};
/** Settings that appear in headers of the subscription. */
const told = {
  subTitle: 'Title',
  subSupportUrl: 'https://example.com/help',
  subAnnounce: 'News',
  subRoutingRules: 'happ://routing/add/e30',
};

async function panelWithClient() {
  const panel = await startPanel({ core, parts: { coreInstall }, settings: told });
  const browser = await panel.browser().login();
  const settings = JSON.stringify({ clients: [{ ...CLIENT, enable: true }], decryption: 'none' });
  const inbound = { enable: true, port: 20_443, protocol: 'vless', settings, streamSettings: '{"network":"tcp"}' };
  expect((await browser.post('/panel/api/inbounds/add', inbound)).json?.success).toBe(true);
  const node = { name: 'node', host: '203.0.113.1', port: 443, enable: false };
  expect((await browser.post('/panel/api/nodes/add', node)).json?.success).toBe(true);
  return { panel, browser };
}

/** Paths for which `ask` finds a problem, with the problem. */
async function faulty(ask: (route: Route, path: string) => Promise<string | null>): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [name, route, path] of places) {
    const problem = await ask(route, filled(path));
    if (problem !== null) problems.push(`${name}: ${problem}`);
  }
  return problems;
}

describe('every route', () => {
  it('exists for a session and reports no internal error for any body', async () => {
    const { panel, browser } = await panelWithClient();
    const problems = await faulty(async (route, path) => {
      const session = route.path === '/logout' ? await panel.browser().login() : browser;
      const { status } = await session.send(route.method, path, route.method === 'POST' ? {} : undefined);
      return status === usualStatus(path) ? null : `${status}`;
    });
    expect(problems).toStrictEqual([]);
    expect(panel.complaints).toStrictEqual([]);
  });

  it.each(['full', 'busy', 'read-only', 'failed'] as const)(
    'reports no internal error while the disk is %s',
    async (kind) => {
      const { panel, browser } = await panelWithClient();
      const head = panel.log.head().position;
      panel.storage(kind);
      const problems = await faulty(async (route, path) => {
        const session = route.path === '/logout' ? await panel.browser().login() : browser;
        const { status } = await session.send(route.method, path, route.method === 'POST' ? {} : undefined);
        return status === usualStatus(path) ? null : `${status}`;
      });
      expect(problems).toStrictEqual([]);
      expect(panel.complaints).toStrictEqual([]);
      expect(panel.log.head().position).toBe(head);
    },
  );

  it('is hidden without authentication', async () => {
    const { panel } = await panelWithClient();
    const unauthenticated = panel.browser();
    const script = { 'x-requested-with': 'XMLHttpRequest' };
    const problems = await faulty(async ({ method, auth }, path) => {
      if (auth === 'none') return null;
      const hidden = await unauthenticated.send(method, path, method === 'POST' ? {} : undefined);
      if (hidden.status !== 404 || hidden.text !== '') return `${hidden.status} ${hidden.text}`;
      const told = await unauthenticated.send(method, path, method === 'POST' ? {} : undefined, script);
      return told.status === 401 ? null : `${told.status} for a script`;
    });
    expect(problems).toStrictEqual([]);
  });

  it('rejects a wrong CSRF token without effect', async () => {
    const { panel, browser } = await panelWithClient();
    const before = panel.log.head().position;
    const problems = await faulty(async ({ method }, path) => {
      if (method === 'GET') return null;
      const { status } = await browser.post(path, {}, { 'x-csrf-token': 'wrong' });
      return status === 403 ? null : `${status}`;
    });
    expect(problems).toStrictEqual([]);
    expect(panel.log.head().position).toBe(before);
  });

  it('accepts the Bearer token only where it is declared', async () => {
    const { panel, browser } = await panelWithClient();
    const token = (await browser.get('/panel/setting/getApiToken')).json?.obj;
    const client = panel.browser();
    const problems = await faulty(async ({ method, auth }, path) => {
      if (auth === 'none') return null;
      const bearer = { authorization: `Bearer ${String(token)}` };
      const { status } = await client.send(method, path, method === 'POST' ? {} : undefined, bearer);
      return status === (auth === 'panel' ? usualStatus(path) : 404) ? null : `${status}`;
    });
    expect(problems).toStrictEqual([]);
  });

  it('replies in its declared format', async () => {
    const { browser } = await panelWithClient();
    let told = 0;
    const problems = await faulty(async ({ method, reply, media, path: own }, path) => {
      if (media !== null || own === '/logout') return null;
      const { json } = await browser.send(method, path, method === 'POST' ? {} : undefined);
      if (!json?.success || json.obj === null) return null;
      told += 1;
      return reply.safeParse(json.obj).error?.message ?? null;
    });
    expect(problems).toStrictEqual([]);
    expect(told).toBeGreaterThan(30);
  });
});

describe('every row of the specification', () => {
  const shown = rows().filter(({ method, path, reply }) => {
    return reply !== 'any' && routes.some((route) => route.method === method && route.path === path);
  });

  it('has a reply in its format', async () => {
    const { browser } = await panelWithClient();
    const problems: string[] = [];
    for (const { method, path, reply, metrics } of shown) {
      for (const metric of metrics.length > 0 ? metrics : ['cpu']) {
        const { json } = await browser.send(
          method,
          filled(path, { metric, ...(path.includes('ById') ? { id: CLIENT.id } : {}) }),
          method === 'POST' ? (BODIES[path] ?? {}) : undefined,
        );
        const problem = json?.success === true ? valueProblem(reply, json.obj) : (json?.msg ?? 'no envelope');
        if (problem !== null && !NEEDS_MORE.has(path)) problems.push(`${path} ${metric}: ${problem}`);
        if (problem === null && NEEDS_MORE.has(path)) problems.push(`${path} needs no more`);
      }
    }
    expect(problems).toStrictEqual([]);
  });

  it('has the histories in all of its buckets, and in no others', async () => {
    const { browser } = await panelWithClient();
    const answered = async (bucket: number) =>
      (await browser.get(`/panel/api/server/history/cpu/${bucket}`)).json?.success;
    for (const bucket of BUCKETS) expect(await answered(bucket), String(bucket)).toBe(true);
    for (const bucket of [0, 1, 3, 59, 600]) expect(await answered(bucket), String(bucket)).toBe(false);
  });
});

describe('the subscription server', () => {
  it('has its paths and every header of the specification', async () => {
    const { panel } = await panelWithClient();
    const response = await fetch(
      `${panel.subscriptions}${filled(subscriptionPaths()[0] ?? '', { subid: CLIENT.subId })}`,
    );
    expect(response.status).toBe(200);
    expect(subscriptionHeaders().filter((name) => !response.headers.has(name))).toStrictEqual([]);
  });
});
