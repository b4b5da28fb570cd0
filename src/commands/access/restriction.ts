import type { Access } from '../../events/access/access-of.js';
import type { PanelEvent } from '../../events/catalog.js';
import type { ClientSpec } from '../../events/client/client.js';
import { type Client, emailKey } from '../../events/client/client-document.js';
import { EmailIndex } from '../../events/client/email-index.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import { sameJson } from '../../lib/json.js';
import type { PermissionName } from '../../lib/permissions.js';
import { existingClients, siblingsOf } from '../client/siblings.js';
import type { Decision } from '../command.js';
import { Rejection, reject } from '../rejection.js';
import { credentialSlot, type PanelState } from '../state.js';
import { quotaProblem } from './quotas.js';

/** Settings that decide who may log in or act as an admin, and where the panel writes outside of its data directory. */
const OWNER_SETTINGS = /^(ldap|twoFactor|apiToken|chatBot|trustedProxy|proof)/;

/** What an admin needs to change a setting. */
export const permissionToChange = (key: string): 'settings:update' | 'secrets:update' =>
  OWNER_SETTINGS.test(key) ? 'secrets:update' : 'settings:update';

/** Events of the caller's own account and sessions, and keys that other events destroy. */
const HARMLESS: ReadonlySet<PanelEvent['type']> = new Set<PanelEvent['type']>([
  ...(['LoggedIn', 'LoggedOut', 'SessionsRevoked', 'UserCredentialsChanged', 'PasswordHashUpgraded'] as const),
  ...([
    'TwoFactorCodeUsed',
    'LoginFailed',
    'DataKeyDestroyed',
    'CommandRefused',
    'TokenUsed',
    'CommandUndone',
  ] as const),
  ...(['SecondFactorSet', 'SecondFactorRemoved', 'OwnCodeUsed', 'RecoveryCodesIssued', 'RecoveryCodeUsed'] as const),
  ...(['PasskeyAdded', 'PasskeyUsed', 'PasskeyRemoved'] as const),
]);

const NEEDED: Partial<Record<PanelEvent['type'], PermissionName>> = {
  ClientAdded: 'clients:create',
  ClientDeleted: 'clients:delete',
  ClientIdentityChanged: 'clients:update',
  ClientCredentialRotated: 'clients:update',
  ClientTrafficReset: 'clients:reset',
  ClientTrafficAdjusted: 'clients:reset',
  ClientIpsCleared: 'clients:reset',
  SecretSettingChanged: 'secrets:update',
  ApiTokenIssued: 'tokens:update',
  TokenCreated: 'tokens:create',
  TokenChanged: 'tokens:update',
  TokenRotated: 'tokens:update',
  TokenRevoked: 'tokens:delete',
  UserCreated: 'admins:create',
  AdminAccessChanged: 'admins:update',
  AdminDeleted: 'admins:delete',
  RoleDefined: 'admins:update',
  RoleDeleted: 'admins:delete',
  LegalHoldPlaced: 'personalData:hold',
  LegalHoldReleased: 'personalData:hold',
  PersonalDataExported: 'personalData:export',
  PersonalDataErased: 'personalData:erase',
  WebhookAdded: 'webhooks:create',
  WebhookUpdated: 'webhooks:update',
  WebhookSecretRotated: 'webhooks:update',
  WebhookPaused: 'webhooks:update',
  WebhookResumed: 'webhooks:update',
  WebhookReplayRequested: 'webhooks:run',
  WebhookDeleted: 'webhooks:delete',
};

/**
 * The decision of a caller without full access: it is refused if an event needs a permission that the admin lacks, concerns a
 * client of others, or exceeds a quota. `decide` is called with the state that the admin can see, so that a rejection names
 * only what the admin knows.
 */
export function decideWithin(
  access: Access,
  state: PanelState,
  now: number,
  decide: (state: PanelState) => Decision,
): Decision {
  const visible = access.isLimited ? stateSeenBy(access, state) : state;
  const decision = decide(visible);
  if (decision instanceof Rejection) return decision;
  if (access.isLimited) {
    // Rules that hold for the whole panel, such as unique emails, are checked as well.
    const whole = decide(state);
    if (whole instanceof Rejection) return unavailable(whole);
  }
  return refusal(access, state, decision) ?? quotaProblem(access, state, decision, now) ?? decision;
}

/** A conflict with a client of another admin, without naming that client. */
function unavailable(conflict: Rejection): Rejection {
  const email = 'email' in conflict.details ? String(conflict.details.email) : '';
  return reject('EMAIL_UNAVAILABLE', { email });
}

function refusal(access: Access, state: PanelState, events: readonly PanelEvent[]): Rejection | null {
  const added = new Set<number>();
  const joined = access.hasLimits ? joinsOthers(access, state, events) : null;
  const addedInbounds = new Set<number>();
  for (const event of events) {
    const permission = returnsAccess(event, state, addedInbounds) ? null : neededFor(event, state, added);
    if (permission !== null && access.scopeOf(permission) === null) return reject('FORBIDDEN', { permission });
    if (event.type === 'ClientAdded') added.add(event.data.client);
    if (event === joined?.event) return joined.refusal;
    if (event.type === 'InboundAdded') addedInbounds.add(event.data.inbound);
    if (access.hasLimits && isOutside(access, state, event, { permission, added }))
      return reject('OUT_OF_SCOPE', { permission: permission ?? 'clients:update' });
  }
  return null;
}

/** Whether an admin or a token only gets an inbound that the same decision adds: it was given the one that comes back. */
function returnsAccess(event: PanelEvent, { access }: PanelState, added: ReadonlySet<number>): boolean {
  const known = (inbounds: readonly number[]) => inbounds.filter((inbound) => !added.has(inbound));
  if (event.type === 'AdminAccessChanged') {
    const { user, inbounds, ...rest } = event.data;
    return sameJson({ ...rest, inbounds: known(inbounds) }, access.admins.get(user) ?? null);
  }
  if (event.type !== 'TokenChanged') return false;
  const { token, label, inbounds, ...rest } = event.data;
  const current = access.tokens.get(token);
  return current !== undefined && sameJson({ ...current, ...rest, ...label, inbounds: known(inbounds) }, current);
}

interface Judged {
  readonly permission: PermissionName | null;
  /** The clients that the same decision adds. */
  readonly added: ReadonlySet<number>;
}

/** Whether an event is outside the scope of the permission that it needs. */
function isOutside(access: Access, state: PanelState, event: PanelEvent, { permission, added }: Judged): boolean {
  if (event.type === 'ClientAdded') {
    const { inbound } = event.data;
    if (access.scopeOf('clients:create') === 'all') return false;
    return !access.inbounds.has(inbound);
  }
  if ('client' in event.data) {
    // Events without a permission of their own follow from others.
    const needed = permission ?? 'clients:read';
    if (access.scopeOf(needed) === 'all') return false;
    const { client } = event.data;
    const current = state.clients.get(client);
    return !added.has(client) && !(current && coversAll(access, state, needed, current));
  }
  if (!access.isLimited) return false;
  return event.type === 'OwnerAssigned' ? permission !== null : !HARMLESS.has(event.type);
}

function neededFor(event: PanelEvent, state: PanelState, added: ReadonlySet<number>): PermissionName | null {
  if (event.type === 'ClientUpdated') {
    const client = state.clients.get(event.data.client);
    return client && isExtension(client.spec, event.data.changes) ? 'clients:extend' : 'clients:update';
  }
  // A client that is added again gets its counters back. They can only be higher than those of a new client.
  if (event.type === 'ClientTrafficAdjusted' && added.has(event.data.client)) return null;
  // A client that moves or comes back keeps its owner.
  if (event.type === 'OwnerAssigned')
    return event.data.clients.every((client) => added.has(client)) ? null : 'admins:update';
  // Registrations with providers belong to the core.
  if (event.type === 'SecretSettingChanged' && /^(wg|vpn)prov$/.test(event.data.key)) return 'core:update';
  if (event.type === 'SettingsChanged')
    return Object.keys(event.data.changes).some((key) => permissionToChange(key) === 'secrets:update')
      ? 'secrets:update'
      : null;
  return NEEDED[event.type] ?? null;
}

/** Whether the client only gets more time or more traffic. */
function isExtension(
  spec: ClientSpec,
  changes: { readonly [K in keyof ClientSpec]?: ClientSpec[K] | undefined },
): boolean {
  const { expiresAt, capBytes, ...others } = changes;
  if (Object.keys(others).length > 0) return false;
  const later =
    expiresAt === undefined ||
    (expiresAt > 0 ? spec.expiresAt > 0 && expiresAt >= spec.expiresAt : expiresAt <= spec.expiresAt && expiresAt < 0);
  return later && (capBytes === undefined || (spec.capBytes > 0 && capBytes >= spec.capBytes));
}

/** A client and all clients with its email: they share their counters. */
function coversAll(access: Access, state: PanelState, permission: PermissionName, client: Client): boolean {
  return siblingsOf(state, client).every(({ number, inbound }) =>
    access.covers(permission, inbound, state.access.owners.get(number)),
  );
}

interface Joining {
  readonly event: PanelEvent;
  readonly refusal: Rejection;
}

/**
 * The first client that would get the email or the subscription of a client outside the scope: clients with the same email share
 * their counters, and those with the same subscription ID one page.
 */
function joinsOthers(access: Access, state: PanelState, events: readonly PanelEvent[]): Joining | null {
  const named = events.flatMap((event) => namesIn(event, state));
  const limited = named.filter(({ permission }) => access.scopeOf(permission) !== 'all');
  if (limited.length === 0) return null;
  const isOutside = (permission: PermissionName, client: Client | undefined): boolean =>
    client !== undefined && !coversAll(access, state, permission, client);
  // One search for all of them, because there is no index.
  const wanted = new Set(limited.map(({ subId }) => subId).filter((subId) => subId !== ''));
  const holders = [...state.clients.values()].filter(({ identity }) => wanted.has(identity.subId));
  const found = limited.find(
    ({ permission, email, subId }) =>
      state.byEmail.get(email).some((number) => isOutside(permission, state.clients.get(number))) ||
      holders.some((holder) => holder.identity.subId === subId && isOutside(permission, holder)),
  );
  return found ? { event: found.event, refusal: reject('EMAIL_UNAVAILABLE', { email: found.email }) } : null;
}

interface Named {
  readonly event: PanelEvent;
  readonly permission: PermissionName;
  readonly email: string;
  /** Empty = it has none, or keeps the one that it has. */
  readonly subId: string;
}

/** The email and the subscription ID that an event gives to a client, if one of them is new. */
function namesIn(event: PanelEvent, state: PanelState): readonly Named[] {
  if (event.type === 'ClientAdded') {
    const { email, subId } = event.data.identity;
    return [{ event, permission: 'clients:create', email, subId }];
  }
  if (event.type !== 'ClientIdentityChanged' && event.type !== 'ClientCredentialRotated') return [];
  const { client, identity } = event.data;
  const before = state.clients.get(client)?.identity;
  const subId = identity.subId === before?.subId ? '' : identity.subId;
  if (subId === '' && emailKey(identity.email) === emailKey(before?.email ?? '')) return [];
  return [{ event, permission: 'clients:update', email: identity.email, subId }];
}

/** The state as it would be if the panel had only the clients and inbounds that the admin sees. */
export function stateSeenBy(access: Access, state: PanelState): PanelState {
  const { owners } = state.access;
  const inbounds = new Map([...state.inbounds].filter(([id]) => access.inbounds.has(id)));
  const clientsOf = new Map<InboundId, Set<ClientNumber>>();
  for (const id of inbounds.keys()) {
    const all = [...(state.clientsOf.get(id) ?? [])];
    clientsOf.set(id, new Set(all.filter((one) => access.covers('clients:read', id, owners.get(one)))));
  }
  const clients = new Map<ClientNumber, Client>();
  const byEmail = new EmailIndex();
  const byCredential = new Map<string, ClientNumber>();
  // The indexes are made from these clients, because others may have many more.
  for (const client of existingClients(
    state,
    [...clientsOf.values()].flatMap((numbers) => [...numbers]).sort(byNumber),
  )) {
    clients.set(client.number, client);
    byEmail.add(client.identity.email, client.number);
    const key = credentialSlot(state, client);
    if (key !== null && state.byCredential.get(key) === client.number) byCredential.set(key, client.number);
  }
  return { ...state, inbounds, clients, clientsOf, byEmail, byCredential };
}

const byNumber = (one: ClientNumber, other: ClientNumber): number => one - other;
