import type { RoleGrant } from '../../events/access/access.js';
import { NO_QUOTAS } from '../../events/access/access-of.js';
import { OWNER } from '../../events/access/roles.js';
import type { Token } from '../../events/access/token-document.js';
import type { GeoSource } from '../../events/geo/geo-document.js';
import type { LegalHold } from '../../events/personal-data/hold-document.js';
import { holdKey } from '../../events/personal-data/personal-data.js';
import { credentialsKey, upgradedCredentialsKey } from '../../events/user.js';
import { webhookKey } from '../../events/webhook/webhook.js';
import type { Webhook } from '../../events/webhook/webhook-document.js';
import type { UserRow } from '../models/users.js';
import type { ReadModels } from '../read-models.js';
import type { AccessNoun, MomentDocument } from './moment-document.js';

interface Role {
  readonly role: string;
  readonly grants: readonly RoleGrant[];
}

const NOTHING: ReadonlySet<string> = new Set();

/** The documents of a noun by number, roles by name. */
export function accessSources(
  { admins, records }: Pick<ReadModels, 'admins' | 'records'>,
  noun: AccessNoun,
): readonly (readonly [key: number | string, source: unknown])[] {
  const { roles, tokens } = admins.access();
  switch (noun) {
    case 'role':
      return [...roles].map(([role, grants]) => [role, { role, grants }]);
    case 'admin':
      return [...admins.users().users].map(([user, row]) => {
        const { role, inbounds, quotas } = admins.access().admins.get(user) ?? OWNER_ACCESS;
        return [user, { ...row, role, inbounds, quotas }];
      });
    case 'token':
      return [...tokens];
    case 'webhook':
      return [...records.webhooks().byId];
    case 'hold':
      return [...records.legalHolds()];
    case 'geoSource':
      return [...records.geoSources()];
  }
}

/** An account without an access of its own. */
const OWNER_ACCESS = { role: OWNER, inbounds: [], quotas: NO_QUOTAS };
type Admin = UserRow & typeof OWNER_ACCESS;

/** A document of `accessSources`. `destroyed`: names of data keys that a backup still has. */
export function accessDocument(noun: AccessNoun, source: unknown, destroyed: ReadonlySet<string>): MomentDocument {
  switch (noun) {
    case 'role': {
      const { role, grants } = source as Role;
      const values = Object.fromEntries(grants.map(({ permission, scope }) => [permission, scope]));
      return { ...{ noun, number: 0, name: role, stream: `role-${role}` }, shown: () => shown(values) };
    }
    case 'admin': {
      const { id, username, epoch, role, inbounds, quotas } = source as Admin;
      const version = { user: id, epoch };
      const keys = [credentialsKey(version), upgradedCredentialsKey(version)];
      const isGone = username === `erased-${id}` || keys.some((key) => destroyed.has(key));
      const values = { username, role, inbounds, quotas };
      return {
        ...{ noun, number: id, name: isGone ? `erased-${id}` : username, stream: `user-${id}` },
        // Each new password has another epoch.
        shown: () => shown(values, { password: epoch }, isGone ? ['username', 'password'] : []),
      };
    }
    case 'token': {
      const { id, name, role, inbounds, admin, expiresAt, addresses, hash } = source as Token;
      const isGone = hash === '' || destroyed.has(`token:${id}`);
      const secrets = { secret: isGone ? null : hash };
      return {
        ...{ noun, number: id, name: isGone ? `erased-${id}` : name, stream: `token-${id}` },
        shown: () => shown({ role, inbounds, admin, expiresAt, addresses }, secrets, isGone ? ['secret'] : []),
      };
    }
    case 'webhook': {
      const { id, name, url, types, secret, keyVersion, paused } = source as Webhook;
      const isGone = url === '' || destroyed.has(webhookKey(id, keyVersion));
      return {
        ...{ noun, number: id, name, stream: `webhook-${id}` },
        // URLs of receivers often contain a token.
        shown: () => shown({ name, types, paused }, { url, secret }, isGone ? ['url', 'secret'] : []),
      };
    }
    case 'hold': {
      const { id, clients, from, to, reason, by } = source as LegalHold;
      const isGone = destroyed.has(holdKey(id));
      return {
        ...{ noun, number: id, name: '', stream: `hold-${id}` },
        // The reason may name a person.
        shown: () => shown({ clients, from, to, by }, { reason }, isGone ? ['reason'] : []),
      };
    }
    case 'geoSource': {
      const { id, type, alias, url } = source as GeoSource;
      return {
        ...{ noun, number: id, name: alias, stream: `geo-source-${id}` },
        shown: () => shown({ type, alias, url }),
      };
    }
  }
}

const shown = (values: object, secrets: object = {}, erased: readonly string[] = []) => ({
  values: values as Readonly<Record<string, unknown>>,
  secrets: secrets as Readonly<Record<string, unknown>>,
  erased: erased.length === 0 ? NOTHING : new Set(erased),
});
