import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createXrayCore } from './adapters/core/xray.js';
import { boundsFlaw, parse, Unreadable } from './commands/import/json.js';
import { type Core, CoreError } from './commands/ports/core.js';
import type { ForeignPanel } from './commands/ports/foreign-panel.js';
import { Rejection } from './commands/rejection.js';
import type { ImportFinding } from './events/import.js';
import { testUrlOf, unwrapTemplate } from './http/codec/template.js';
import { isObject, type Json, type JsonObject } from './lib/json.js';
import { privateNetworks } from './lib/private-networks.js';
import { defaultOutboundTestUrl, defaultTemplate } from './projections/template.js';

/** Where the core of this machine is, and its geo files. */
export interface CorePlace {
  readonly binary: string | null;
  readonly geo: string;
}

/** What the imported panel shall run around its inbounds; null = what is usual here. */
export interface PreparedTemplate {
  readonly template: JsonObject | null;
  readonly outboundTestUrl: string;
  readonly findings: readonly ImportFinding[];
}

const TABLE = 'settings';
const ITEM = 'the core template';

/**
 * The template of a foreign panel, as much of it as the core takes: as it is; without geo files where the usual rule
 * names them; without the rules that need any; or else the usual one. `scratch` is a private folder.
 */
export async function prepareTemplate(
  settings: ForeignPanel['settings'],
  place: CorePlace | null,
  scratch: string,
): Promise<PreparedTemplate> {
  const text = (key: string): string => settings.find((setting) => setting.key === key)?.value ?? '';
  const findings: ImportFinding[] = [];
  const note = (what: ImportFinding['what'], why: string, item = ITEM): void =>
    void findings.push({ table: TABLE, item, what, why });
  const url = testUrlOf(text('xrayOutboundTestUrl'));
  if (url instanceof Rejection) note('left out', url.message, 'setting xrayOutboundTestUrl');
  const outboundTestUrl = url instanceof Rejection ? defaultOutboundTestUrl : url;
  const result = (template: JsonObject | null): PreparedTemplate => {
    const own = outboundTestUrl !== defaultOutboundTestUrl ? defaultTemplate : null;
    return { template: template ?? own, outboundTestUrl, findings };
  };
  const read = parse(text('xrayTemplateConfig'));
  if (read === null) return result(null);
  if (read instanceof Unreadable || !isObject(read)) {
    note('left out', `it ${read instanceof Unreadable ? read.why : 'is not a JSON object'}: the usual one is used`);
    return result(null);
  }
  const given = unwrapTemplate(read as JsonObject);
  const bounds = boundsFlaw(given);
  if (bounds !== null) {
    note('left out', `it ${bounds}: the usual one is used`);
    return result(null);
  }
  const flaw = await flawOf(given, place, scratch);
  if (flaw === null) return result(given);
  const listed = withoutPrivateGeo(given);
  if ((await flawOf(listed, place, scratch)) === null) {
    note('changed', `geoip:private stands as the list of networks that it means: ${flaw}`);
    return result(listed);
  }
  const { template: bare, dropped } = withoutGeo(listed);
  if (dropped > 0 && (await flawOf(bare, place, scratch)) === null) {
    note(
      'changed',
      `${dropped} rules that need geo files are left out, add them again when the files are here: ${flaw}`,
    );
    return result(bare);
  }
  note('left out', `the usual one is used: ${flaw}`);
  return result(null);
}

/** Why neither the panel's own rules nor the core take it; null when they do, or when there is no core to ask. */
async function flawOf(template: JsonObject, place: CorePlace | null, scratch: string): Promise<string | null> {
  const run = mkdtempSync(join(scratch, 'template-'));
  const core: Core = createXrayCore({
    binary: place?.binary ?? null,
    runDir: run,
    logDir: run,
    assetDir: place?.geo ?? run,
    splice: false,
    log: () => undefined,
  });
  try {
    core.assemble({ template, inbounds: new Map() });
    await core.test({ template, inbounds: new Map() });
    return null;
  } catch (error) {
    if (error instanceof CoreError) return error.kind === 'missing' ? null : error.message;
    throw error;
  } finally {
    rmSync(run, { recursive: true, force: true });
  }
}

const rulesOf = ({ routing }: JsonObject): readonly Json[] =>
  isObject(routing) && Array.isArray(routing['rules']) ? (routing['rules'] as Json[]) : [];

function withRules(template: JsonObject, rules: readonly Json[]): JsonObject {
  const { routing } = template;
  return isObject(routing) ? { ...template, routing: { ...routing, rules } as Json } : template;
}

/** The rule that every template of 3x-ui has, with the networks written out: no file is needed for them. */
function withoutPrivateGeo(template: JsonObject): JsonObject {
  const rules = rulesOf(template).map((rule) => {
    if (!isObject(rule) || !Array.isArray(rule['ip'])) return rule;
    const ip = (rule['ip'] as Json[]).flatMap((entry): readonly Json[] =>
      entry === 'geoip:private' ? privateNetworks : [entry],
    );
    return { ...rule, ip } as Json;
  });
  return withRules(template, rules);
}

const GEO = /"(geoip|geosite|ext|ext-ip|ext-domain|ext-site):/i;

/** Without the rules, and the name servers, that need geo files. */
function withoutGeo(template: JsonObject): { readonly template: JsonObject; readonly dropped: number } {
  const rules = rulesOf(template);
  const kept = rules.filter((rule) => !GEO.test(JSON.stringify(rule)));
  const { dns } = template;
  const servers = isObject(dns) && Array.isArray(dns['servers']) ? (dns['servers'] as Json[]) : [];
  const asked = servers.filter((server) => !GEO.test(JSON.stringify(server)));
  const dropped = rules.length - kept.length + servers.length - asked.length;
  const bare = withRules(template, kept);
  if (servers.length === asked.length || !isObject(dns)) return { template: bare, dropped };
  return { template: { ...bare, dns: { ...dns, servers: asked } as Json }, dropped };
}
