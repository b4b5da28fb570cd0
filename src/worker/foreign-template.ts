import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createXrayCore } from '../adapters/core/xray.js';
import { boundsProblem, parse, Unreadable } from '../commands/import/json.js';
import { shown } from '../commands/import/report.js';
import { type Core, CoreError } from '../commands/ports/core.js';
import type { ForeignPanel } from '../commands/ports/foreign-panel.js';
import { Rejection } from '../commands/rejection.js';
import type { ImportFinding } from '../events/import.js';
import { testUrlOf, unwrapTemplate } from '../http/panel/codec/template.js';
import { isObject, type JsonObject, sameJson, textOf } from '../lib/json.js';
import { defaultOutboundTestUrl, defaultTemplate } from '../projections/core/template.js';
import { type Lacking, lackingIn, withoutLacking } from './foreign-geo.js';

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

/** Of geo files and lists that a template may name in vain: each costs one more question to the core. */
const MOST_LACKING = 50;

/**
 * The template of a foreign panel, as much of it as the core takes: as it is; without what needs geo files and lists
 * that are not here; or else the usual one. `scratch` is a private folder.
 */
export async function prepareTemplate(
  settings: ForeignPanel['settings'],
  place: CorePlace | null,
  scratch: string,
): Promise<PreparedTemplate> {
  const text = (key: string): string => settings.find((setting) => setting.key === key)?.value ?? '';
  const findings: ImportFinding[] = [];
  const note = (what: ImportFinding['outcome'], why: string, item = ITEM): void =>
    void findings.push({ table: TABLE, item, outcome: what, reason: why });
  const url = testUrlOf(text('xrayOutboundTestUrl'));
  if (url instanceof Rejection) note('skipped', url.message, 'setting xrayOutboundTestUrl');
  const outboundTestUrl = url instanceof Rejection ? defaultOutboundTestUrl : url;
  const result = (template: JsonObject | null): PreparedTemplate => {
    const own = outboundTestUrl !== defaultOutboundTestUrl ? defaultTemplate : null;
    return { template: template ?? own, outboundTestUrl, findings };
  };
  const read = parse(text('xrayTemplateConfig'));
  if (read === null) return result(null);
  if (read instanceof Unreadable || !isObject(read)) {
    note('skipped', `it ${read instanceof Unreadable ? read.why : 'is not a JSON object'}: the usual one is used`);
    return result(null);
  }
  const given = unwrapTemplate(read as JsonObject);
  const bounds = boundsProblem(given);
  if (bounds !== null) {
    note('skipped', `it ${bounds}: the usual one is used`);
    return result(null);
  }
  const lacking: Lacking[] = [];
  for (;;) {
    const bare = withoutLacking(given, lacking);
    const problem = await problemOf(bare.template, place, scratch);
    if (problem === null) {
      if (lacking.length > 0) note('changed', named(lacking));
      findings.push(...bare.findings);
      return result(lacking.length > 0 ? bare.template : given);
    }
    const next = lackingIn(textOf(problem.cause));
    if (next === null || lacking.length === MOST_LACKING || lacking.some((one) => sameJson(one, next))) {
      note('skipped', `the usual one is used: ${problem.message}`);
      return result(null);
    }
    lacking.push(next);
  }
}

/** What it goes on without, as a sentence. */
function named(lacking: readonly Lacking[]): string {
  const names = lacking.map(({ file, entry }) => (entry === null ? file : entry.replace(/^ext:/, '')));
  const written = names.includes('geoip.dat') ? '; geoip:private stands as the networks that it means' : '';
  return `what is not here of geo files and lists is left out of it (${shown(names.join(', '))})${written}`;
}

/** Why neither the panel's own rules nor the core take it; null when they do, or when there is no core to ask. */
async function problemOf(template: JsonObject, place: CorePlace | null, scratch: string): Promise<CoreError | null> {
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
    core.config.assemble({ template, inbounds: new Map() });
    await core.config.testTemplate({ template, inbounds: new Map() });
    return null;
  } catch (error) {
    if (error instanceof CoreError) return error.kind === 'missing' ? null : error;
    throw error;
  } finally {
    rmSync(run, { recursive: true, force: true });
  }
}
