import type { PanelEvent } from '../../events/catalog.js';
import { CoreTemplateChanged } from '../../events/core.js';
import { isObject, type Json, type JsonObject } from '../../lib/json.js';
import type { ImportedInbound } from './inbounds.js';

interface RequestedTemplate {
  /** Null = the default one. */
  readonly template: JsonObject | null;
  readonly outboundTestUrl: string;
}

/** The template, with renamed tags replaced in its rules. */
export function importTemplate(
  { template, outboundTestUrl }: RequestedTemplate,
  inbounds: readonly ImportedInbound[],
): PanelEvent[] {
  if (template === null) return [];
  const kept = new Set(inbounds.map(({ spec }) => spec.tag));
  const tags = new Map(
    inbounds.filter(({ row }) => row.tag !== '' && !kept.has(row.tag)).map(({ row, spec }) => [row.tag, spec.tag]),
  );
  const renamed = tags.size === 0 ? template : retagged(template, tags);
  type Template = Parameters<typeof CoreTemplateChanged>[0]['template'];
  return [CoreTemplateChanged({ keyVersion: 1, template: renamed as Template, outboundTestUrl })];
}

function retagged(template: JsonObject, tags: ReadonlyMap<string, string>): JsonObject {
  const { routing } = template;
  if (!isObject(routing) || !Array.isArray(routing['rules'])) return template;
  const rules = (routing['rules'] as Json[]).map((rule) => {
    if (!isObject(rule) || !Array.isArray(rule['inboundTag'])) return rule;
    return { ...rule, inboundTag: rule['inboundTag'].map((tag: unknown) => tags.get(String(tag)) ?? tag) } as Json;
  });
  return { ...template, routing: { ...routing, rules } as Json };
}
