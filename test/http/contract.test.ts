import { describe, expect, it } from 'vitest';
import { tables } from '../../src/http/contract/index.js';
import type { Route } from '../../src/http/contract/route.js';

/** Rows of the specification, part 4: method, path, in its own words. */
const SPECIFICATION: Readonly<Record<string, readonly string[]>> = {
  '': ['POST /login', 'POST /logout', 'GET /csrf-token', 'POST /getTwoFactorEnable'],
  '/panel/api/inbounds': [
    'GET /list',
    'GET /get/:id',
    'GET /getClientTraffics/:email',
    'GET /getClientTrafficsById/:id',
    'POST /add',
    'POST /del/:id',
    'POST /update/:id',
    'POST /setEnable/:id',
    'POST /clientIps/:email',
    'POST /clearClientIps/:email',
    'POST /addClient',
    'POST /:id/copyClients',
    'POST /:id/delClient/:clientId',
    'POST /updateClient/:clientId',
    'POST /:id/resetTraffic',
    'POST /:id/resetClientTraffic/:email',
    'POST /resetAllTraffics',
    'POST /resetAllClientTraffics/:id',
    'POST /delDepletedClients/:id',
    'POST /import',
    'POST /onlines',
    'POST /lastOnline',
    'GET /getSubLinks/:subId',
    'GET /getClientLinks/:id/:email',
    'POST /updateClientTraffic/:email',
    'POST /:id/delClientByEmail/:email',
  ],
  '/panel/api/server': [
    'GET /status',
    'GET /getConfigJson',
    'GET /getNewUUID',
    'GET /getNewX25519Cert',
    'POST /stopCoreService',
    'POST /restartCoreService',
  ],
  '/panel/setting': [
    'POST /all',
    'POST /defaultSettings',
    'POST /update',
    'POST /updateUser',
    'GET /getDefaultJsonConfig',
    'GET /getApiToken',
    'POST /regenerateApiToken',
  ],
  '/panel/core': [
    'POST /',
    'GET /getDefaultJsonConfig',
    'GET /getOutboundsTraffic',
    'GET /getCoreResult',
    'POST /update',
    'POST /resetOutboundsTraffic',
  ],
};

/** The names that clients of 3x-ui 3.0 and of later panels call. */
const OTHER_NAMES = [
  'POST /panel/api/server/stopXrayService',
  'POST /panel/api/server/restartXrayService',
  'POST /panel/xray/',
  'GET /panel/xray/getDefaultJsonConfig',
  'GET /panel/xray/getOutboundsTraffic',
  'GET /panel/xray/getXrayResult',
  'POST /panel/xray/update',
  'POST /panel/xray/resetOutboundsTraffic',
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
];

const routes = Object.values(tables).flatMap((table) => Object.values(table) as Route[]);
const placesOf = ({ method, path, aliases }: Route) => [path, ...aliases].map((at) => `${method} ${at}`);
const places = routes.flatMap(placesOf);

describe('the route tables', () => {
  const rows = Object.entries(SPECIFICATION).flatMap(([prefix, list]) =>
    list.map((row) => row.replace(' ', ` ${prefix}`)),
  );

  it.each([...rows, ...OTHER_NAMES])('have %s', (row) => {
    expect(places).toContain(row);
  });

  it('have every path once', () => {
    expect(places.filter((place, index) => places.indexOf(place) !== index)).toStrictEqual([]);
  });

  it('let no route answer for another that is mounted after it', () => {
    const shadowed = routes.flatMap((route, index) =>
      routes.slice(0, index).filter((earlier) => earlier.method === route.method && covers(earlier.path, route.path)),
    );
    expect(shadowed.map(({ path }) => path)).toStrictEqual([]);
  });

  it('open only the login to everybody', () => {
    const open = routes.filter(({ auth }) => auth === 'none').map(({ path }) => path);
    expect(open).toStrictEqual(['/login', '/csrf-token', '/getTwoFactorEnable']);
  });

  it('take the Bearer token under /panel/api only', () => {
    const wrong = routes.filter(({ auth, path, aliases }) => {
      return auth === 'panel' && [path, ...aliases].some((at) => !at.startsWith('/panel/api/'));
    });
    expect(wrong).toStrictEqual([]);
  });

  it('say in a word what each route is for', () => {
    expect(routes.filter(({ summary }) => summary.length < 10)).toStrictEqual([]);
  });
});

/** Whether some path of `later` is matched by `earlier` too: `/:id/copyClients` takes `/clientIps/copyClients`. */
function covers(earlier: string, later: string): boolean {
  const [a, b] = [earlier.split('/'), later.split('/')];
  if (a.length !== b.length || !a.some((part, i) => part.startsWith(':') && !b[i]?.startsWith(':'))) return false;
  // The number of an inbound is never a word of a path; an email may be one.
  return a.every((part, i) => part === b[i] || part.startsWith(':') || (b[i]?.startsWith(':') && b[i] !== ':id'));
}
