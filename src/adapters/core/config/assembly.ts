import { basename, dirname, join } from 'node:path';
import type { CoreConfig } from '../../../commands/ports/core.js';
import { accountName, type NamedClient } from '../../../lib/account-name.js';
import { isObject, type Json, type JsonObject } from '../../../lib/json.js';
import { message } from '../../../messages/message.js';
import { assembleInbound } from './inbound.js';
import { apiTag, fold, metricsTag, spelled } from './names.js';
import { checkPointers, outboundsOf, tagsIn } from './outbounds.js';
import { checkPaths } from './paths.js';
import { routingOf } from './routing.js';
import { list, members, refused } from './template.js';

/** The files of a core. All paths are absolute. */
export interface CorePaths {
  readonly runDir: string;
  readonly logDir: string;
  readonly assetDir: string;
  /** Unix socket of the core's API. */
  readonly socket: string;
  /** `host:port` of the core's metrics, on loopback, if the template enables them; null = none. */
  readonly metrics: string | null;
  /** The core's log at level info; the panel reads it to attribute connections to clients. */
  readonly trace: string;
}

/** The logs of a template: file names under `logs/`; folders in the template are ignored. */
export interface LogFiles {
  readonly access: string;
  /** Whether the admin enabled the access log. The panel always needs it. */
  readonly accessKept: boolean;
  readonly error: string;
  /** The least severe level that the admin wants to read. */
  readonly level: 'debug' | 'info' | 'warning' | 'error' | 'none';
}

/**
 * The configuration of the core. Reads the file system only to check paths. Throws `CoreError` 'invalid' for a template
 * that is not allowed. `names`: whether clients appear with their account names or with their emails.
 */
export function assemble(
  { template, inbounds }: CoreConfig,
  paths: CorePaths,
  names: 'core' | 'people' = 'core',
): JsonObject {
  const blocks = blocksOf(template);
  const dataDir = dirname(paths.runDir);
  checkPaths(template, { dataDir, inbound: null });
  checkInbounds(blocks['inbounds']);
  const outbounds = outboundsOf(blocks['outbounds'], paths.metrics);
  const routing = routingOf(blocks['routing'], names);
  const nameOf = names === 'core' ? accountName : emailOf;
  const taken = tagsIn(outbounds);
  checkPointers([outbounds, routing, blocks['observatory'] ?? null, blocks['burstObservatory'] ?? null]);
  const observatory = ['observatory', 'burstObservatory'].some((name) => isObject(blocks[name]));
  const log = logFiles(template, paths);
  return {
    ...pick(blocks, ['version', 'dns', 'fakeDns', 'observatory', 'burstObservatory']),
    log: {
      access: log.access,
      error: paths.trace,
      loglevel: log.level === 'debug' ? 'debug' : 'info',
      dnsLog: members(blocks['log'])['dnslog'] === true,
    },
    api: {
      tag: apiTag,
      listen: `${paths.socket},0600`,
      services: [
        'HandlerService',
        'StatsService',
        'RoutingService',
        'LoggerService',
        ...(observatory ? ['ObservatoryService'] : []),
      ],
    },
    stats: {},
    ...(paths.metrics === null || !asksForMetrics(template)
      ? {}
      : { metrics: { tag: metricsTag, listen: paths.metrics } }),
    policy: policyOf(blocks['policy']),
    inbounds: [...inbounds.values()].map((inbound) => assembleInbound(inbound, dataDir, taken, nameOf)),
    outbounds,
    routing,
  };
}

const emailOf = ({ email }: NamedClient): string => email;

/** Whether a template has a `metrics` block: without one, no port is opened for metrics. */
export function asksForMetrics(template: JsonObject): boolean {
  return isObject(blocksOf(template)['metrics']);
}

export function logFiles(template: JsonObject, { logDir }: Pick<CorePaths, 'logDir'>): LogFiles {
  const log = members(blocksOf(template)['log']);
  const level = typeof log['loglevel'] === 'string' ? log['loglevel'].toLowerCase() : '';
  const access = join(logDir, plainName(log['access'], 'access.log'));
  const error = join(logDir, plainName(log['error'], 'error.log'));
  return {
    accessKept: log['access'] !== 'none',
    access: access === error ? join(logDir, 'access.log') : access,
    error: access === error ? join(logDir, 'error.log') : error,
    level: level === 'debug' || level === 'info' || level === 'error' || level === 'none' ? level : 'warning',
  };
}

const spelling: Readonly<Record<string, string>> = { fakedns: 'fakeDns', burstobservatory: 'burstObservatory' };
const closed = ['env', 'geodata', 'transport', 'reverse'];

function blocksOf(template: JsonObject): Readonly<Record<string, Json>> {
  const blocks = members(template);
  for (const name of closed) {
    if (Object.hasOwn(blocks, name)) throw refused(message('core.memberNotAllowed', { key: name }));
  }
  return Object.fromEntries(Object.entries(blocks).map(([name, block]) => [spelling[name] ?? name, block]));
}

/** Inbounds are managed by the panel; only the `api` inbound in templates of other panels is ignored. */
function checkInbounds(inbounds: Json | undefined): void {
  for (const inbound of list(inbounds)) {
    const tag = members(inbound)['tag'];
    if (tag !== apiTag) throw refused(message('core.templateInbound', { tag: String(tag ?? '') }));
  }
}

const counted = { statsUserUplink: true, statsUserDownlink: true, statsUserOnline: true };
const counting = new Set(Object.keys(counted).map(fold));

function policyOf(value: Json | undefined): JsonObject {
  const policy = members(value);
  const levels = { ...(isObject(policy['levels']) ? (policy['levels'] as JsonObject) : {}) };
  // The core reads "00" as level 0 too, and the last one counts.
  for (const level of Object.keys(levels)) {
    if (!/^(0|[1-9]\d{0,9})$/.test(level)) throw refused(message('core.policyLevelInvalid', { level }));
  }
  const zero = Object.entries(members(levels['0']))
    .filter(([name]) => !counting.has(name))
    .map(([name, member]) => [spelled(name), member] as const);
  return {
    levels: { ...levels, '0': { ...Object.fromEntries(zero), ...counted } },
    system: {
      statsInboundUplink: true,
      statsInboundDownlink: true,
      statsOutboundUplink: true,
      statsOutboundDownlink: true,
    },
  };
}

/** The file name under `logs/` that a template sets, or the default. */
export function plainName(value: Json | undefined, fallback: string): string {
  const name = typeof value === 'string' ? basename(value.replaceAll('\\', '/')) : '';
  return /^[\w-][\w.-]{0,99}\.(log|txt)$/.test(name) && !/^(core-output|panel)/i.test(name) ? name : fallback;
}

function pick(blocks: Readonly<Record<string, Json>>, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (blocks[name] === undefined ? [] : [[name, blocks[name]]])));
}
