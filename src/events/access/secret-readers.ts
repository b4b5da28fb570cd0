import type { PermissionName, Resource } from '../../lib/permissions.js';
import type { Access } from './access-of.js';

/**
 * Documents with secrets: credentials of clients, keys of inbounds and of the core template, addresses of webhooks. An admin
 * who can change a document must see them; one who can only read it must not.
 */
const SHOWN_WITH: Readonly<Partial<Record<Resource, PermissionName>>> = {
  clients: 'clients:extend',
  inbounds: 'inbounds:update',
  core: 'core:update',
  webhooks: 'webhooks:update',
};

/** Whether the secrets in what a resource has are hidden from a caller. */
export function hidesSecretsOf(resource: Resource, access: Pick<Access, 'scopeOf'>): boolean {
  const needed = SHOWN_WITH[resource];
  return needed !== undefined && access.scopeOf(needed) === null;
}
