import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RoleGrant } from '../../../../src/events/access/access.js';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { allMembersOf } from '../../../../src/events/client/members.js';
import type { Scope } from '../../../../src/lib/permissions.js';
import { newTokenSecret } from '../../../../src/lib/secrets/token-secret.js';
import { clientNumber, draft, inboundDraft, inboundId, userId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const LOGIN = { username: 'maria', password: 'long enough' };

/** The clients: number, inbound and owner. Maria is admin 2 and has inbound 2; client 5 of hers is elsewhere. */
const CLIENTS = [
  { number: 1, inbound: 1, owner: 1 },
  { number: 2, inbound: 2, owner: 1 },
  { number: 3, inbound: 2, owner: 2 },
  { number: 4, inbound: 3, owner: 1 },
  { number: 5, inbound: 3, owner: 2 },
] as const;
type Place = Pick<(typeof CLIENTS)[number], 'inbound' | 'owner'>;

const emailOf = (number: number): string => `client-${number}`;

/** Three inbounds, and an admin who has the second, with a role of these permissions. */
async function start(grants: readonly RoleGrant[]) {
  const panel = await startPanel();
  for (const id of [1, 2, 3]) {
    const over = { spec: { remark: `in ${id}`, port: 8440 + id, tag: `in-${id}` } };
    panel.given({ type: 'AddInbound', data: { ...inboundDraft(over), owner: userId(1) } });
  }
  panel.given({ type: 'DefineRole', data: { role: 'desk', grants } });
  const access = { role: 'desk', inbounds: [inboundId(2)], quotas: NO_QUOTAS };
  panel.given({ type: 'CreateUser', data: { username: 'maria', passwordHash: 'plain long enough', access } });
  for (const { number, inbound } of CLIENTS)
    panel.given({
      type: 'AddClients',
      data: { inbound: inboundId(inbound), clients: [draft(emailOf(number), number)] },
    });
  for (const owner of [1, 2]) {
    const clients = CLIENTS.filter((one) => one.owner === owner).map(({ number }) => clientNumber(number));
    panel.given({ type: 'HandOverClients', data: { clients, owner: userId(owner) } });
  }
  const maria = await panel.browser().login(LOGIN);
  panel.appended();
  return { panel, maria };
}

const grant = (permission: string, scope: Scope = 'all'): RoleGrant => ({ permission, scope });

/** Whether a scope includes a client, for Maria. */
const includes = (scope: Scope | null, { inbound, owner }: Place): boolean =>
  scope === 'all' || (scope !== null && inbound === 2 && (scope === 'inbounds' || owner === 2));

const PATH = '/panel/api/inbounds';
/** A request about a client for each permission, and the type of the event that it appends. */
const ACTIONS = {
  'clients:update': (client: number) =>
    ['/panel/api/clients/change', { action: 'disable', clients: [client] }] as const,
  'clients:reset': (client: number) =>
    [`${PATH}/updateClientTraffic/${emailOf(client)}`, { upload: 5, download: 6 }] as const,
  'clients:delete': (client: number) =>
    [`${PATH}/${CLIENTS[client - 1]?.inbound}/delClientByEmail/${emailOf(client)}`, {}] as const,
} as const;
type Action = keyof typeof ACTIONS;

const scopes = fc.constantFrom<Scope | null>('all', 'own', 'inbounds', null);
const roles = fc.record({
  read: fc.constantFrom<Scope>('all', 'own', 'inbounds'),
  'clients:create': scopes,
  'clients:update': scopes,
  'clients:reset': scopes,
  'clients:delete': scopes,
  'audit:read': scopes,
});
type Role = typeof roles extends fc.Arbitrary<infer R> ? R : never;

/** A role that sees a part of the clients cannot change others. */
const ORDER: readonly (Scope | null)[] = [null, 'own', 'inbounds', 'all'];
function within({ read, ...rest }: Role): Role {
  const narrower = Object.entries(rest).map(([name, scope]) => [
    name,
    ORDER.indexOf(scope) > ORDER.indexOf(read) ? read : scope,
  ]);
  return { read, ...(Object.fromEntries(narrower) as Omit<Role, 'read'>) };
}

function grantsOf({ read, ...rest }: Role): readonly RoleGrant[] {
  const others = Object.entries(rest).flatMap(([name, scope]) => (scope === null ? [] : [grant(name, scope)]));
  return [grant('account:read'), grant('account:update'), grant('clients:read', read), ...others];
}

describe('a role whose permissions have different scopes', () => {
  it('changes only the clients in the scope of the permission that each change needs', async () => {
    await fc.assert(
      fc.asyncProperty(roles.map(within), async (role) => {
        const { panel, maria } = await start(grantsOf(role));
        for (const [name, request] of Object.entries(ACTIONS))
          for (const client of CLIENTS) {
            if (!panel.services.read.clients.get(client.number)) continue;
            const [path, body] = request(client.number);
            const answer = await maria.post(path, body);
            const events = panel.appended().filter(({ type }) => type !== 'CommandRefused');
            const may = includes(role[name as Action], client) && includes(role.read, client);
            expect([name, client.number, events.length > 0], answer.text).toStrictEqual([name, client.number, may]);
            for (const { data } of allMembersOf(events)) expect(data).toMatchObject({ client: client.number });
          }
        for (const inbound of [1, 2, 3]) {
          const { credential } = draft('new', 90 + inbound);
          const clients = [{ id: credential.id, email: `new-${inbound}`, subId: `s${inbound}`, enable: true }];
          await maria.post(`${PATH}/addClient`, { id: inbound, settings: JSON.stringify({ clients }) });
          const added = panel.appended().some(({ type }) => type === 'ClientAdded');
          const scope = role['clients:create'];
          expect([inbound, added]).toStrictEqual([inbound, scope === 'all' || (scope !== null && inbound === 2)]);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('follows only the events of clients in the scopes of reading them and of reading events', async () => {
    await fc.assert(
      fc.asyncProperty(roles.map(within), async (role) => {
        const { maria, panel } = await start(grantsOf(role));
        panel.given({ type: 'ChangeSettings', data: { changes: { pageSize: 17 } } });
        panel.given({ type: 'DeleteClients', data: { clients: [clientNumber(2), clientNumber(3)] } });
        const answer = await maria.get('/panel/api/events');
        const scope = role['audit:read'];
        if (scope === null) {
          expect(answer.status).toBe(403);
          return;
        }
        const page = answer.json?.obj as { events: { type: string; data: { client?: number } }[] } | undefined;
        const events = page?.events ?? [];
        const isWhole = scope === 'all' && role.read === 'all';
        expect(events.some(({ type }) => type === 'UserCreated' || type === 'SettingsChanged')).toBe(isWhole);
        const shown = new Set(events.flatMap(({ data }) => data.client ?? []));
        const visible = CLIENTS.filter((client) => includes(scope, client) && includes(role.read, client));
        expect([...shown].sort((a, b) => a - b)).toStrictEqual(visible.map(({ number }) => number));
      }),
      { numRuns: 30 },
    );
  });

  it('does not join a client of another admin by its email', async () => {
    const grants = ['clients:create', 'clients:update'].map((name) => grant(name, 'own'));
    const { panel, maria } = await start([grant('account:read'), grant('clients:read'), ...grants]);
    const { credential } = draft('x', 77);
    const clients = [{ id: credential.id, email: emailOf(1), subId: 'another', enable: true }];
    const answer = await maria.post(`${PATH}/addClient`, { id: 2, settings: JSON.stringify({ clients }) });
    expect(answer.json?.success, answer.text).toBe(false);
    expect(panel.appended().filter(({ type }) => type !== 'CommandRefused')).toStrictEqual([]);
  });

  it('may extend where it may update, even if it extends fewer clients', async () => {
    const { panel, maria } = await start([
      ...[grant('account:read'), grant('clients:read')],
      ...[grant('clients:update', 'inbounds'), grant('clients:extend', 'own')],
    ]);
    panel.given({ type: 'ChangeClientTerms', data: { terms: [{ client: clientNumber(2), capBytes: 1000 }] } });
    panel.appended();
    const answer = await maria.post('/panel/api/clients/change', { action: 'addTraffic', clients: [2], bytes: 5 });
    expect(answer.json, answer.text).toMatchObject({ success: true });
    expect(panel.appended()).toMatchObject([{ type: 'ClientUpdated', data: { client: 2 } }]);
  });

  it('gives a token no more inbounds than the admin to whom it belongs', async () => {
    const { panel } = await start([grant('clients:read'), grant('clients:delete', 'inbounds')]);
    const { secret, ...stored } = newTokenSecret();
    const token = {
      name: 'shop',
      role: 'desk',
      inbounds: [inboundId(2)],
      admin: userId(2),
      expiresAt: 0,
      addresses: [],
    };
    panel.given({ type: 'CreateToken', data: { ...token, ...stored } });
    const access = { role: 'desk', inbounds: [inboundId(3)], quotas: NO_QUOTAS };
    panel.given({ type: 'ChangeAdminAccess', data: { user: userId(2), ...access } });
    panel.appended();
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const answer = await panel.call('POST', ACTIONS['clients:delete'](2)[0], { headers, body: '{}' });
    expect(answer.json, answer.text).toMatchObject({ success: false, code: 'OUT_OF_SCOPE' });
  });
});
