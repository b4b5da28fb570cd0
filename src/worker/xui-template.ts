import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createXrayCore } from '../adapters/core/xray.js';
import { boundsProblem, parse, Unreadable } from '../commands/import/json.js';
import { shown } from '../commands/import/report.js';
import { type Core, CoreError } from '../commands/ports/core.js';
import type { XuiPanel } from '../commands/ports/xui-panel.js';
import { Rejection } from '../commands/rejection.js';
import type { ImportFinding } from '../events/import.js';
import { testUrlOf, unwrapTemplate } from '../http/panel/codec/template.js';
import { isObject, type JsonObject, sameJson, textOf } from '../lib/json.js';
import { textOf as errorText } from '../messages/error.js';
import { message, type Text } from '../messages/message.js';
import { defaultOutboundTestUrl, defaultTemplate } from '../projections/core/template.js';
import { type MissingGeo, missingIn, withoutMissing } from './missing-geo.js';

/** The paths of the core of this machine and of its geo files. */
export interface CorePlace {
  readonly binary: string | null;
  readonly geo: string;
}

/** The core template of the imported panel; null = the default one. */
interface PreparedTemplate {
  readonly template: JsonObject | null;
  readonly outboundTestUrl: string;
  readonly findings: readonly ImportFinding[];
}

const TABLE = 'settings';
const ITEM = message('import.template');

/** The most missing geo files and lists: the core reports only one of them at each start. */
const MAX_MISSING = 50;

/**
 * Prepares the core template of 3x-ui: unchanged if the core accepts it, else without what needs missing geo files and
 * lists, else the default template. `scratch` is a private folder.
 */
export async function prepareTemplate(
  settings: XuiPanel['settings'],
  place: CorePlace | null,
  scratch: string,
): Promise<PreparedTemplate> {
  const text = (key: string): string => settings.find((setting) => setting.key === key)?.value ?? '';
  const findings: ImportFinding[] = [];
  const note = (outcome: ImportFinding['outcome'], reason: Text, item: Text = ITEM): void =>
    void findings.push({ table: TABLE, item, outcome, reason });
  const url = testUrlOf(text('xrayOutboundTestUrl'));
  if (url instanceof Rejection) note('skipped', url.text, message('import.setting', { key: 'xrayOutboundTestUrl' }));
  const outboundTestUrl = url instanceof Rejection ? defaultOutboundTestUrl : url;
  const result = (template: JsonObject | null): PreparedTemplate => {
    const own = outboundTestUrl !== defaultOutboundTestUrl ? defaultTemplate : null;
    return { template: template ?? own, outboundTestUrl, findings };
  };
  const read = parse(text('xrayTemplateConfig'));
  if (read === null) return result(null);
  if (read instanceof Unreadable || !isObject(read)) {
    const why = read instanceof Unreadable ? read.why : message('import.jsonNotObject');
    note('skipped', message('import.templateUnreadable', { why }));
    return result(null);
  }
  const given = unwrapTemplate(read as JsonObject);
  const why = boundsProblem(given);
  if (why !== null) {
    note('skipped', message('import.templateUnreadable', { why }));
    return result(null);
  }
  const missing: MissingGeo[] = [];
  for (;;) {
    const reduced = withoutMissing(given, missing);
    const error = await problemOf(reduced.template, place, scratch);
    if (error === null) {
      if (missing.length > 0) note('changed', missingText(missing));
      findings.push(...reduced.findings);
      return result(missing.length > 0 ? reduced.template : given);
    }
    const next = missingIn(textOf(error.cause));
    if (next === null || missing.length === MAX_MISSING || missing.some((one) => sameJson(one, next))) {
      note('skipped', message('import.templateRefused', { why: errorText(error) }));
      return result(null);
    }
    missing.push(next);
  }
}

/** Names what was left out of a template. */
function missingText(missing: readonly MissingGeo[]): Text {
  const names = missing.map(({ file, entry }) => (entry === null ? file : entry.replace(/^ext:/, '')));
  const code = names.includes('geoip.dat') ? 'import.geoMissingPrivate' : 'import.geoMissing';
  return message(code, { names: shown(names.join(', ')) });
}

/** Why the panel or the core rejects a template; null when both accept it, or when there is no core. */
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
