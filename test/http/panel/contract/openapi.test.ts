import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buckets, coreMetrics, hostMetrics } from '../../../../src/commands/ports/gauges.js';
import type { RecordedEvent } from '../../../../src/events/catalog.js';
import { secretKeys, settingKeys } from '../../../../src/events/settings/settings.js';
import { plainNames, secretNames } from '../../../../src/http/panel/codec/setting-names.js';
import { openApi, operations } from '../../../../src/http/panel/openapi/document.js';
import { SocketMessage, socketMessages } from '../../../../src/http/panel/openapi/socket.js';
import { render } from '../../../../src/messages/render.js';
import { coded } from '../../../../src/messages/rendered.js';
import { pushesOf } from '../../../../src/projections/pushes.js';
import { startPanel } from '../../kit/panel.js';

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: { readonly enum?: readonly string[] };
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

/** One event of each type, from its sample. */
function sampleEvents(): readonly RecordedEvent[] {
  const folder = new URL('../../../events/samples/', import.meta.url);
  return readdirSync(folder).map((file) => {
    const data: unknown = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    // The type is known only from the file name; the sample tests check the data against its schema. Pushes
    // read only the name of the actor from `meta`.
    return { type: file.split('.')[0], data, meta: { actor: { name: 'root' } } } as unknown as RecordedEvent;
  });
}

const document = openApi('1.2.3', '/base');
/** As it is sent: without members that JSON omits. */
const plain = JSON.parse(JSON.stringify(document)) as {
  readonly openapi: string;
  readonly servers: unknown;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};
const all = Object.entries(plain.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

/** Every value under a member of this name, at any depth. */
function every(name: string, value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => (key === name ? [member] : every(name, member)));
}

describe('the document', () => {
  it('is valid OpenAPI 3.1 with all routes, under the base path', () => {
    expect(plain.openapi).toBe('3.1.0');
    expect(plain.servers).toStrictEqual([{ url: '/base' }]);
    const written = all.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    const routes = operations().map(({ route }) => `${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect(written.toSorted()).toStrictEqual([...routes, 'GET /ws'].toSorted());
  });

  it('has no dangling references, and no unused components', () => {
    const refs = every('$ref', plain).map(String);
    const at = (ref: string) =>
      ref
        .replace('#/', '')
        .split('/')
        .reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], plain);
    expect(refs.length).toBeGreaterThan(100);
    expect(refs.filter((ref) => at(ref) === undefined)).toStrictEqual([]);
    const named = Object.entries(plain.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, members]) => Object.keys(members).map((name) => `#/components/${kind}/${name}`));
    expect(named.filter((name) => !refs.includes(name))).toStrictEqual([]);
    expect(
      named.filter((name) => name.endsWith('Output')),
      'give the reply an id by .meta',
    ).toStrictEqual([]);
  });

  it('declares each parameter of a path once, and no others', () => {
    for (const { path, operation } of all) {
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(new Set(declared.map(({ name }) => name)), path).toStrictEqual(new Set(names));
      expect(declared, path).toHaveLength(names.length);
      expect(
        declared.every(({ required }) => required),
        path,
      ).toBe(true);
    }
  });

  it('has a unique name, a tag and the authorization of each operation', () => {
    const ids = all.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = plain.tags.map(({ name }) => name);
    expect(all.filter(({ operation }) => !operation.tags.every((tag) => tags.includes(tag)))).toStrictEqual([]);
    const schemes = Object.keys(plain.components['securitySchemes'] ?? {});
    const asked = all.flatMap(({ operation }) => operation.security.flatMap((one) => Object.keys(one)));
    expect([...new Set(asked)].toSorted()).toStrictEqual(schemes.toSorted());
  });

  it('describes each request body and each reply', () => {
    const open = operations().filter(({ route }) => route.reply._zod.def.type === 'unknown');
    expect(open.map(({ id }) => id)).toStrictEqual([]);
    const bodies = all.filter(({ operation }) => operation.requestBody);
    const files = operations().flatMap(({ id, route }) => (route.upload === null ? [] : [id]));
    for (const { operation } of bodies)
      expect(Object.keys(operation.requestBody?.content ?? {})).toStrictEqual(
        files.includes(operation.operationId)
          ? ['multipart/form-data']
          : ['application/json', 'application/x-www-form-urlencoded'],
      );
    const silent = all.filter(({ operation }) => !('200' in operation.responses));
    expect(silent.map(({ path }) => path)).toStrictEqual(['/ws']);
  });

  it('describes the 404 of a file that does not exist, such as a backup', () => {
    const statusOf = (path: string) => plain.paths[path]?.['get']?.responses['404'];
    expect(statusOf('/panel/api/server/backups/{name}')).toStrictEqual({
      $ref: '#/components/responses/FileNotFound',
    });
    expect(statusOf('/panel/api/server/status')).toStrictEqual({ $ref: '#/components/responses/Hidden' });
  });

  it('lists the settings of a body under all of their names, all optional', () => {
    const body = plain.components['schemas']?.['settingsUpdateBody'] as {
      readonly required?: readonly string[];
      readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    };
    const keys = [...settingKeys, ...secretKeys, ...Object.keys(plainNames), ...Object.keys(secretNames)];
    const names = [...keys, 'twoFactorCode', 'trustEveryProxy'];
    expect(Object.keys(body.properties).toSorted()).toStrictEqual(names.toSorted());
    expect(body.required ?? []).toStrictEqual([]);
    const empty = Object.entries(body.properties).filter(([, schema]) => !('type' in schema || 'anyOf' in schema));
    expect(empty.map(([key]) => key)).toStrictEqual([]);
    // Omitted members stay unchanged, so none may have a default.
    expect(Object.entries(body.properties).filter(([, schema]) => 'default' in schema)).toStrictEqual([]);
    expect(body.properties['webPort']).toStrictEqual({ type: 'integer', minimum: 1, maximum: 65_535 });
    expect(body.properties['tgCpu']).toStrictEqual(body.properties['chatBotCpu']);
    expect(body.properties['trustEveryProxy']).toStrictEqual({ type: 'boolean' });
  });

  it('lists the path values of a history that the handler supports', () => {
    const words = (path: string, name: string) =>
      (plain.paths[path]?.['get']?.parameters ?? []).find((parameter) => parameter.name === name)?.schema?.enum;
    const histories = '/panel/api/server/';
    expect(words(`${histories}history/{metric}/{bucket}`, 'metric')).toStrictEqual([...hostMetrics]);
    const core = coreMetrics.map((metric) => metric.replace(/^core/, 'xr'));
    expect(words(`${histories}coreMetricsHistory/{metric}/{bucket}`, 'metric')).toStrictEqual([
      ...coreMetrics,
      ...core,
    ]);
    const widths = all.flatMap(({ path }) => (path.includes('{bucket}') ? [words(path, 'bucket')] : []));
    expect(widths).toStrictEqual(Array.from({ length: 5 }, () => buckets.map(String)));
  });

  it('describes exactly the messages of the WebSocket', () => {
    expect(plain.paths['/ws']?.['get']?.responses).toHaveProperty('101');
    const pushes = sampleEvents().flatMap((event) => coded(pushesOf([event]), (text) => render(text, 'en')));
    const said = new Set(pushes.map((push) => JSON.stringify(push, ['type', 'resource', 'severity'])));
    expect(pushes.filter((push) => !SocketMessage.safeParse(push).success)).toStrictEqual([]);
    for (const type of ['xrayState', 'notification', 'invalidate'])
      expect(pushes.filter((push) => push.type === type).length, type).toBeGreaterThan(2);
    for (const resource of ['inbounds', 'outbounds', 'core', 'settings', 'users', 'nodes'])
      expect(said).toContain(JSON.stringify({ type: 'invalidate', resource }));
    expect(socketMessages.map(({ schema }) => schema.shape.type.value)).toStrictEqual([
      ...['status', 'xrayState', 'notification', 'invalidate', 'traffic'],
    ]);
  });
});

describe('the page', () => {
  it('is the same for a session and for the Bearer token, and hidden from others', async () => {
    const panel = await startPanel({ basePath: '/secret/' });
    const browser = await panel.browser().login();
    const { status, text } = await browser.get('/panel/api/openapi.json');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: '/secret' }],
      info: { version: '0.0.0' },
    });
    for (const path of ['/panel/api/openapi.json', '/panel/api-docs', '/panel/api-docs/swagger-ui.css']) {
      const hidden = await panel.browser().get(path);
      expect([hidden.status, hidden.text]).toStrictEqual([404, '']);
    }
  });

  it('runs only script files of its own origin', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const page = await browser.get('/panel/api-docs');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    const scripts = [...page.text.matchAll(/<script([^>]*)>([^<]*)/g)];
    expect(scripts.map(([, attributes, code]) => [attributes?.includes('src="api-docs/'), code])).toStrictEqual([
      [true, ''],
      [true, ''],
    ]);
    expect(page.text).not.toMatch(/https?:/);
    for (const [, file] of page.text.matchAll(/(?:src|href)="(api-docs\/[^"]+)"/g)) {
      const answer = await browser.get(`/panel/${file}`);
      expect(answer.status, file).toBe(200);
      expect(answer.headers.get('content-encoding')).toBe('gzip');
      expect(answer.headers.get('cache-control')).toBe('private, max-age=3600');
    }
  });

  it.each(['index.html', 'package.json', 'swagger-ui.js', '..%2fpackage.json', 'constructor', 'start.js%00'])(
    'serves no other file of the package: %s',
    async (file) => {
      const panel = await startPanel();
      const browser = await panel.browser().login();
      expect((await browser.get(`/panel/api-docs/${file}`)).status).toBe(404);
    },
  );
});
