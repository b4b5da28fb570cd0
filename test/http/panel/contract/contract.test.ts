import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { secretKeys, secretsTable, settingsTable } from '../../../../src/events/settings/settings.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import { type Route, Upload } from '../../../../src/http/panel/contract/route.js';
import { ClientTraffic, WireClient } from '../../../../src/http/panel/contract/schemas/client.js';
import { InboundReply } from '../../../../src/http/panel/contract/schemas/inbound.js';
import { Status } from '../../../../src/http/panel/contract/schemas/status.js';
import { schemaOf, schemaProblem } from '../../kit/shapes.js';
import { type Field, fieldsOf, type Row, rows, subscriptionPaths } from '../../kit/specification.js';

/** Rows that are not implemented yet. Remove a row once it has a route. */
const NOT_YET: readonly RegExp[] = [];

/** The names that clients of 3x-ui 3.0 and later use. */
const OTHER_NAMES = [
  'POST /panel/api/backuptotgbot',
  'POST /panel/api/server/stopXrayService',
  'POST /panel/api/server/restartXrayService',
  'POST /panel/xray/',
  'GET /panel/xray/getDefaultJsonConfig',
  'GET /panel/xray/getOutboundsTraffic',
  'GET /panel/xray/getXrayResult',
  'POST /panel/xray/update',
  'POST /panel/xray/resetOutboundsTraffic',
  'POST /panel/xray/testOutbound',
  'POST /panel/xray/warp/:action',
  'POST /panel/xray/nord/:action',
  'POST /panel/api/setting/all',
  'POST /panel/api/setting/update',
  'POST /panel/api/setting/updateUser',
  'POST /panel/api/setting/defaultSettings',
  'GET /panel/api/setting/getDefaultJsonConfig',
  'POST /panel/api/xray/',
  'POST /panel/api/xray/update',
  'GET /panel/api/xray/getOutboundsTraffic',
  'GET /panel/api/xray/getXrayResult',
  'POST /panel/api/xray/resetOutboundsTraffic',
  'GET /panel/api/server/getXrayVersion',
  'POST /panel/api/server/installXray/:version',
  'POST /panel/api/server/xraylogs/:count',
  'GET /panel/api/server/xrayMetricsState',
  'GET /panel/api/server/xrayMetricsHistory/:metric/:bucket',
  'GET /panel/api/server/xrayObservatory',
  'GET /panel/api/server/xrayObservatoryHistory/:tag/:bucket',
  'POST /panel/api/setting/restartPanel',
  'POST /panel/api/xray/testOutbound',
  'GET /panel/api/xray/getDefaultJsonConfig',
  'POST /panel/api/xray/warp/:action',
  'POST /panel/api/xray/nord/:action',
  'GET /panel/api/server/getWebCertFiles',
  'GET /panel/api/inbounds/createbackup',
];

const routes = Object.values(tables).flatMap((table) => Object.values(table) as Route[]);
const placesOf = ({ method, path, aliases }: Route) => [path, ...aliases].map((at) => `${method} ${at}`);
const places = routes.flatMap(placesOf);

const specified = rows();
const isOpen = ({ method, path }: Row): boolean => NOT_YET.some((row) => row.test(`${method} ${path}`));
const due = specified.filter((row) => !isOpen(row));
const routeOf = ({ method, path }: Row): Route | undefined =>
  routes.find((route) => route.method === method && route.path === path);

/** Strings for which the schema has a narrower type. */
const TEXTS: Readonly<Record<string, string>> = {
  settings: '{"clients":[]}',
  streamSettings: '{}',
  sniffing: '{}',
  data: '{"port":443,"protocol":"vless"}',
  coreSetting: '{"outbounds":[]}',
  outbound: '{"protocol":"freedom"}',
  allOutbounds: '[]',
  sni: 'example.com',
  protocol: 'vless',
  showDirect: 'true',
  showBlocked: 'true',
  showProxy: 'true',
  key: 'chatBotToken',
};

/** Required members of a body that the specification does not name. */
const UNNAMED: Readonly<Record<string, object>> = { '/panel/setting/secret': { value: 'text' } };

function valueOf({ name, shape }: Field): unknown {
  if (shape === 'number') return 5;
  if (shape === 'boolean') return true;
  return shape === 'string' ? (TEXTS[name] ?? 'text') : [];
}

describe('the specification', () => {
  it('has the 95 rows of part 4: the panel, the subscription server and the WebSocket', () => {
    expect(specified.length + subscriptionPaths().length + 1).toBe(95);
  });

  describe.each(due.map((row) => [`${row.method} ${row.path}`, row] as const))('%s', (_, row) => {
    it('has a route', () => {
      expect(routeOf(row)).toBeDefined();
    });

    it('accepts the parameters of the row', () => {
      const route = routeOf(row);
      const taken = schemaOf(route?.body ?? z.never(), 'input');
      const isOpen = taken.properties === undefined && row.body.length > 0;
      // A body with any member (the settings) lists none: its members are checked below.
      if (isOpen) expect(row.path).toBe('/panel/setting/update');
      else expect(row.body.map(({ name }) => name).filter((name) => !taken.properties?.[name])).toStrictEqual([]);
      const sent = {
        ...UNNAMED[row.path],
        ...Object.fromEntries(row.body.map((field) => [field.name, valueOf(field)])),
        ...(route?.upload ? { [route.upload]: new Upload('file', 1, '') } : {}),
      };
      const read = route?.body.safeParse(sent);
      expect(read?.error?.issues ?? []).toStrictEqual([]);
      const kept = (read?.data ?? {}) as Record<string, unknown>;
      expect(row.body.map(({ name }) => name).filter((name) => !(name in kept))).toStrictEqual([]);
    });

    it('replies in the format of the row', () => {
      expect(schemaProblem(row.reply, schemaOf(routeOf(row)?.reply ?? z.never(), 'output'))).toBeNull();
    });
  });

  it('has no implemented row on the list of open ones', () => {
    const there = specified.filter((row) => isOpen(row) && places.includes(`${row.method} ${row.path}`));
    expect(there.map(({ path }) => path)).toStrictEqual([]);
    expect(NOT_YET.filter((row) => !specified.some(({ method, path }) => row.test(`${method} ${path}`)))).toStrictEqual(
      [],
    );
  });

  it.each([
    ['Inbound', InboundReply, 'output'],
    ['Client (', WireClient, 'input'],
    ['Client traffic', ClientTraffic, 'output'],
    ['Server status object', Status, 'output'],
  ] as const)('has every field of: %s', (heading, schema, io) => {
    const members = Object.fromEntries(fieldsOf(heading).map(({ name, shape }) => [name, shape]));
    expect(Object.keys(members).length).toBeGreaterThan(4);
    expect(schemaProblem({ members }, schemaOf(schema, io))).toBeNull();
  });

  it('has every key of: Settings', () => {
    const all: Readonly<Record<string, z.ZodType>> = { ...settingsTable, ...secretsTable };
    for (const { name, shape } of fieldsOf('Settings')) {
      const schema = all[name];
      expect(schema, name).toBeDefined();
      if (schema) expect(schemaProblem(shape, schemaOf(schema, 'input')), name).toBeNull();
    }
    expect(secretKeys).toEqual(expect.arrayContaining(['chatBotToken', 'twoFactorToken', 'ldapPassword']));
    expect(settingsTable.subPort.parse(undefined)).toBe(10_882);
    expect(settingsTable.subPath.parse(undefined)).toBe('/sub/');
  });
});

describe('the route tables', () => {
  it.each(OTHER_NAMES)('have %s', (row) => {
    expect(places).toContain(row);
  });

  it('have each path once', () => {
    expect(places.filter((place, index) => places.indexOf(place) !== index)).toStrictEqual([]);
  });

  it('have no route that hides a later one', () => {
    const shadowed = routes.flatMap((route, index) =>
      routes.slice(0, index).filter((earlier) => earlier.method === route.method && covers(earlier.path, route.path)),
    );
    expect(shadowed.map(({ path }) => path)).toStrictEqual([]);
  });

  it('have only the login as a public route', () => {
    const open = routes.filter(({ auth }) => auth === 'none').map(({ path }) => path);
    expect(open).toStrictEqual([
      ...['/login', '/csrf-token', '/getTwoFactorEnable'],
      ...['/passkey/used', '/passkey/options', '/passkey/login'],
    ]);
  });

  it('accept the Bearer token under /panel/api only', () => {
    const wrong = routes.filter(({ auth, path, aliases }) => {
      return auth === 'panel' && [path, ...aliases].some((at) => !at.startsWith('/panel/api/'));
    });
    expect(wrong).toStrictEqual([]);
  });

  it('have a short purpose for each route', () => {
    expect(routes.filter(({ summary }) => summary.length < 10)).toStrictEqual([]);
  });
});

/** Whether some path of `later` is matched by `earlier` too: `/:id/copyClients` takes `/clientIps/copyClients`. */
function covers(earlier: string, later: string): boolean {
  const [a, b] = [earlier.split('/'), later.split('/')];
  if (a.length !== b.length || !a.some((part, i) => part.startsWith(':') && !b[i]?.startsWith(':'))) return false;
  // The number of an inbound is never a literal segment of a path; an email may be one.
  return a.every((part, i) => part === b[i] || part.startsWith(':') || (b[i]?.startsWith(':') && b[i] !== ':id'));
}
