import type { Json, JsonObject } from '../../../lib/json.js';
import { message, type Text } from '../../../messages/message.js';
import { plainName } from './assembly.js';
import { apiTag, fold, metricsTag } from './names.js';
import { list, members } from './template.js';

/** Blocks that the panel replaces. */
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

/** The settings of a template that the panel ignores or replaces, a text for each. Pure. Expects a template that `assemble` accepts. */
export function ignoredSettings(template: JsonObject): readonly Text[] {
  const blocks = members(template);
  return [
    ...Object.keys(blocks).flatMap((name) => blockNote(name, blocks[name])),
    ...list(blocks['inbounds'])
      .slice(0, 1)
      .map(() => message('core.apiInboundIgnored')),
    ...logNotes(members(blocks['log'])),
    ...policyNotes(members(blocks['policy'])),
    ...ruleNotes(members(blocks['routing'])['rules']),
  ];
}

function blockNote(name: string, block: Json | undefined): readonly Text[] {
  if (OWN.some((own) => own === name)) {
    const empty = Object.keys(members(block)).length === 0;
    return empty ? [] : [message('core.blockReplaced', { name })];
  }
  return KEPT.has(name) ? [] : [message('core.blockIgnored', { name: name.slice(0, 100) })];
}

function logNotes(log: Readonly<Record<string, Json>>): readonly Text[] {
  const files = (['access', 'error'] as const).flatMap((name) => {
    const given = log[name];
    const usual = given === undefined || given === '' || given === 'none';
    const used = plainName(given, `${name}.log`);
    return usual || given === used ? [] : [message('core.logFileRenamed', { name: `log.${name}`, file: used })];
  });
  const masked = (log['maskaddress'] ?? '') !== '';
  return masked ? [...files, message('core.maskIgnored')] : files;
}

/** Counters are always on: the panel counts with them. */
function policyNotes(policy: Readonly<Record<string, Json>>): readonly Text[] {
  const level = members(members(policy['levels'])['0']);
  const switches = [
    ...Object.entries(members(policy['system'])).map(([name, value]) => ['policy.system', name, value] as const),
    ...Object.entries(level).map(([name, value]) => ['policy.levels.0', name, value] as const),
  ];
  const off = switches.filter(([, name, value]) => name.startsWith('stats') && value !== true);
  return off.length === 0 ? [] : [message('core.countersKept', { name: off[0]?.[0] ?? '' })];
}

function ruleNotes(rules: Json | undefined): readonly Text[] {
  const own = list(rules).filter((rule) => [apiTag, metricsTag].some((tag) => tag === members(rule)['outboundtag']));
  return own.length === 0 ? [] : [message('core.apiRulesIgnored')];
}
