import { z } from 'zod';
import { tables } from './index.js';
import type { Route } from './route.js';
import { TextCode } from './schemas/text-code.js';

/** What a detail route answers with: a document that changing routes can expect to be unchanged. */
export type DocumentOf =
  | { readonly noun: 'inbound' | 'node'; readonly param: 'id' }
  | { readonly noun: 'client'; readonly param: 'email' }
  | { readonly noun: 'settings' | 'core' };

const { inbounds, inboundForms, nodes, clientList, settings, settingsApi, coreSettings, coreSettingsApi } = tables;

const DOCUMENTS: ReadonlyMap<string, DocumentOf> = new Map<string, DocumentOf>([
  [inbounds.get.path, { noun: 'inbound', param: 'id' }],
  [inboundForms.form.path, { noun: 'inbound', param: 'id' }],
  [nodes.get.path, { noun: 'node', param: 'id' }],
  [clientList.details.path, { noun: 'client', param: 'email' }],
  [settings.all.path, { noun: 'settings' }],
  [settingsApi.all.path, { noun: 'settings' }],
  [coreSettings.read.path, { noun: 'core' }],
  [coreSettingsApi.read.path, { noun: 'core' }],
]);

/** The document whose version a route answers with, in the header `ETag`; null for other routes. */
export function documentOf({ path }: Route): DocumentOf | null {
  return DOCUMENTS.get(path) ?? null;
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
