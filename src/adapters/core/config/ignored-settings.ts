import type { Json, JsonObject } from '../../../lib/json.js';
import { plainName } from './assembly.js';
import { apiTag, fold, metricsTag } from './names.js';
import { list, members } from './template.js';

/** Blocks in the place of which the panel writes its own. */
const OWN = ['api', 'stats', 'metrics'] as const;
const KEPT: ReadonlySet<string> = new Set(
  [
    'version',
    'dns',
    'fakeDns',
    'observatory',
    'burstObservatory',
    'log',
    'policy',
    'inbounds',
    'outbounds',
    'routing',
  ].map(fold),
);

/**
 * What a template says and the core will not hear of, a sentence for each. Pure. Takes a template that `assemble` takes.
 */
export function ignoredSettings(template: JsonObject): readonly string[] {
  const blocks = members(template);
  return [
    ...Object.keys(blocks).flatMap((name) => blockNote(name, blocks[name])),
    ...list(blocks['inbounds'])
      .slice(0, 1)
      .map(() => 'The inbound "api" is left out: the panel reaches the core by a way of its own'),
    ...logNotes(members(blocks['log'])),
    ...policyNotes(members(blocks['policy'])),
    ...ruleNotes(members(blocks['routing'])['rules']),
  ];
}

function blockNote(name: string, block: Json | undefined): readonly string[] {
  if (OWN.some((own) => own === name)) {
    const empty = Object.keys(members(block)).length === 0;
    return empty ? [] : [`"${name}" is replaced by the panel's own`];
  }
  return KEPT.has(name) ? [] : [`"${name.slice(0, 100)}" is left out: it is no section of a template`];
}

function logNotes(log: Readonly<Record<string, Json>>): readonly string[] {
  const files = (['access', 'error'] as const).flatMap((name) => {
    const given = log[name];
    const usual = given === undefined || given === '' || given === 'none';
    const used = plainName(given, `${name}.log`);
    return usual || given === used ? [] : [`"log.${name}" becomes ${used} in the log folder of the panel`];
  });
  const masked = (log['maskaddress'] ?? '') !== '';
  return masked ? [...files, '"log.maskAddress" is left out: the panel needs the addresses'] : files;
}

/** Counters are always on: the panel counts with them. */
function policyNotes(policy: Readonly<Record<string, Json>>): readonly string[] {
  const level = members(members(policy['levels'])['0']);
  const switches = [
    ...Object.entries(members(policy['system'])).map(([name, value]) => ['policy.system', name, value] as const),
    ...Object.entries(level).map(([name, value]) => ['policy.levels.0', name, value] as const),
  ];
  const off = switches.filter(([, name, value]) => name.startsWith('stats') && value !== true);
  return off.length === 0 ? [] : [`"${off[0]?.[0] ?? ''}" cannot switch counters off: the panel counts with them`];
}

function ruleNotes(rules: Json | undefined): readonly string[] {
  const own = list(rules).filter((rule) => [apiTag, metricsTag].some((tag) => tag === members(rule)['outboundtag']));
  return own.length === 0 ? [] : ['Rules to "api" and "metrics_out" are left out: these are ways of the panel alone'];
}
