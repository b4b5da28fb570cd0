import { CoreError, type CoreInbound } from '../../../commands/ports/core.js';
import { type Rejection, reject } from '../../../commands/rejection.js';
import { isObject, type JsonObject } from '../../../lib/json.js';
import { type MessageParams, message, type Text } from '../../../messages/message.js';
import { defaultOutboundTestUrl } from '../../../projections/core/template.js';
import type { ReadModels } from '../../../projections/read-models.js';
import { Wrong } from '../contract/schemas/fields.js';
import { readObject } from '../contract/schemas/json-text.js';

/** Members of an API reply that contains a template. */
const WRAPPERS = ['coreSetting', 'xraySetting'] as const;
/** Members that only a template has. */
const BLOCKS = ['inbounds', 'outbounds', 'routing', 'log', 'policy', 'dns', 'api', 'stats'] as const;
const MAX_WRAPPERS = 8;

/** A template, unwrapped if it comes in the API reply that it was read from. */
export function unwrapTemplate(template: JsonObject): JsonObject {
  let current = template;
  for (let level = 0; level < MAX_WRAPPERS; level += 1) {
    const wrapper = WRAPPERS.find((name) => Object.hasOwn(current, name));
    if (!wrapper || BLOCKS.some((name) => Object.hasOwn(current, name))) return current;
    const inner = readObject(current[wrapper]);
    if (inner instanceof Wrong) return current;
    current = inner;
  }
  return current;
}

/** Blocks that the panel reads or replaces itself. The core never sees their values, so it cannot refuse a wrong type. */
const OWN_BLOCKS: ReadonlySet<string> = new Set(['log', 'api', 'stats', 'policy', 'metrics', 'routing']);

/** Why a block of a template has the wrong type, or null. As in the core, the case of a name does not matter. */
export function blockProblem(template: JsonObject): Text | null {
  const wrong = Object.entries(template).find(
    ([name, value]) => OWN_BLOCKS.has(name.toLowerCase()) && value !== null && !isObject(value),
  );
  return wrong === undefined ? null : message('core.memberNotObject', { key: wrong[0] });
}

/** The URL of outbound tests; empty = the default. */
export function testUrlOf(text: string): string | Rejection {
  const address = text.trim();
  if (address === '') return defaultOutboundTestUrl;
  const refused = (why: Text) => reject('SETTING_INVALID', { problems: [{ key: 'outboundTestUrl', why }] });
  if (!URL.canParse(address)) return refused(message('settings.notUrl'));
  const { protocol, hostname, username, password } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') return refused(message('settings.notHttpScheme'));
  if (hostname === '') return refused(message('settings.urlWithoutHost'));
  return username === '' && password === '' ? address : refused(message('settings.urlCredentials'));
}

/** The inbounds that the core should run, without those that it rejected before. */
export function runnable(read: ReadModels): ReadonlyMap<string, CoreInbound> {
  const { refused } = read.records.core();
  const inbounds = [...read.desired.config().inbounds];
  return new Map(inbounds.filter(([tag]) => !refused.has(read.desired.inboundOf(tag) ?? 0)));
}

/** The rejection for a `CoreError`. Rethrows any other error. */
export function coreRejection(error: unknown): Rejection {
  if (!(error instanceof CoreError)) throw error;
  if (error.kind === 'missing') return reject('CORE_MISSING');
  return reject(error.kind === 'invalid' ? 'CORE_REFUSED' : 'CORE_FAILED', { why: error.text });
}

/** The same for a template that breaks one of the panel's own rules. */
export function templateRejection(error: unknown): Rejection {
  if (!(error instanceof CoreError) || error.kind !== 'invalid' || error.inbound !== null) return coreRejection(error);
  const { text } = error;
  const isRule = 'code' in text && text.code === 'core.templateUnusable';
  const why = isRule ? (text.params as MessageParams['core.templateUnusable']).why : text;
  return reject('TEMPLATE_INVALID', { why });
}

/** `value` as indented JSON. */
export const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
