import { z } from 'zod';
import type { Resource } from '../../../lib/permissions.js';
import { tables } from './index.js';
import type { Route } from './route.js';
import { TextCode } from './schemas/text-code.js';

/** What a detail route answers with: a document that changing routes can expect to be unchanged. */
export type DocumentOf =
  | { readonly noun: 'inbound' | 'node'; readonly param: 'id' }
  | { readonly noun: 'client'; readonly param: 'email' }
  | { readonly noun: 'settings' | 'core' | ListNoun };

/** Lists of documents that have one version together. */
export const LIST_NOUNS = ['admins', 'roles', 'tokens', 'webhooks', 'holds', 'geo'] as const;
export type ListNoun = (typeof LIST_NOUNS)[number];

const { inbounds, inboundForms, nodes, clientList, settings, settingsApi, coreSettings, coreSettingsApi } = tables;
const { admins, roles, tokens, webhooks, personalData, customGeo } = tables;

const DOCUMENTS: ReadonlyMap<string, DocumentOf> = new Map<string, DocumentOf>([
  [inbounds.get.path, { noun: 'inbound', param: 'id' }],
  [inboundForms.form.path, { noun: 'inbound', param: 'id' }],
  [nodes.get.path, { noun: 'node', param: 'id' }],
  [clientList.details.path, { noun: 'client', param: 'email' }],
  [settings.all.path, { noun: 'settings' }],
  [settingsApi.all.path, { noun: 'settings' }],
  [coreSettings.read.path, { noun: 'core' }],
  [coreSettingsApi.read.path, { noun: 'core' }],
  [admins.list.path, { noun: 'admins' }],
  [roles.list.path, { noun: 'roles' }],
  [tokens.list.path, { noun: 'tokens' }],
  [webhooks.list.path, { noun: 'webhooks' }],
  [personalData.holds.path, { noun: 'holds' }],
  [customGeo.list.path, { noun: 'geo' }],
]);

/** The document whose version a route answers with, in the header `ETag`; null for other routes. */
export function documentOf({ path }: Route): DocumentOf | null {
  return DOCUMENTS.get(path) ?? null;
}

/** What the version of a body is called where a route has had one of its own form before `ETag`. */
const OWN_VERSION: ReadonlySet<string> = new Set([inbounds.update.path, tables.clients.updateClient.path]);
export const hasOwnVersion = ({ path }: Route): boolean => OWN_VERSION.has(path);

const ROLE_PATHS: ReadonlySet<string> = new Set(Object.values(roles).map(({ path }) => path));

/** The nouns of the documents that the routes of a resource change. An undo may change any. */
const NOUNS: Readonly<Partial<Record<Resource, RegExp>>> = {
  ...{ inbounds: /^inbound-/, nodes: /^node-/, clients: /^(client|inbound)-/, audit: /./ },
  ...{ settings: /^settings$/, secrets: /^settings$/, core: /^core$/, account: /^admins$/ },
  ...{
    admins: /^admins$/,
    tokens: /^tokens$/,
    webhooks: /^webhooks$/,
    personalData: /^(holds$|client-)/,
    geo: /^geo$/,
  },
};

/** Whether a route changes the document of a stream. */
export function changes(
  { path, permission }: Route,
  params: Readonly<Record<string, unknown>>,
  stream: string,
): boolean {
  if (permission === null) return false;
  if (ROLE_PATHS.has(path)) return stream === 'roles';
  if (NOUNS[permission.resource]?.test(stream) !== true) return false;
  // Elsewhere the number is in the body, or of something else.
  const numbered = /^(inbound|node)-(.*)$/.exec(stream);
  const id = params['id'];
  return numbered === null || id === undefined || Number(id) < 0 || Number(numbered[2]) === Number(id);
}

/** `obj` of the answer 412: the expected version, the current one, and what has changed between them. */
export const StaleVersion = z.object({
  expected: z.string(),
  /** Null if the document was deleted. */
  current: z.string().nullable(),
  /** Newest first, at most 50. The values of secrets are left out. */
  changes: z.array(
    z.object({
      ...{ position: z.int(), at: z.int(), type: z.string(), by: z.string(), byCode: TextCode },
      ...{ field: z.string(), before: z.unknown().optional(), after: z.unknown().optional(), secret: z.boolean() },
    }),
  ),
});
