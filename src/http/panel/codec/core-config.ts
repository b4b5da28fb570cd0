import type { CoreConfig, CoreInbound, CoreInbounds, CoreProcess } from '../../../commands/ports/core.js';
import { isObject, type Json, type JsonObject } from '../../../lib/json.js';
import type { ReadModels } from '../../../projections/read-models.js';

/**
 * The configuration of the running core: its template and inbounds, with the accounts that may connect. Without a core, the
 * desired configuration.
 */
export function runningConfig(
  read: ReadModels,
  core: {
    readonly process: Pick<CoreProcess, 'running' | 'appliedTemplate'>;
    readonly inbounds: Pick<CoreInbounds, 'applied'>;
  },
): CoreConfig {
  const wanted = read.desired.config();
  const template = core.process.running ? core.process.appliedTemplate() : null;
  if (template === null) return wanted;
  const inbounds = [...core.inbounds.applied()].map(([tag, config]): [string, CoreInbound] => {
    const same = wanted.inbounds.get(tag);
    return [tag, { tag, config, users: same?.users ?? new Map(), hotUsers: same?.hotUsers ?? false }];
  });
  return { template, inbounds: new Map(inbounds) };
}

/** Members that are always present; `null` when the configuration does not have them. */
const ALWAYS = ['stats', 'reverse', 'transport', 'fakedns', 'observatory', 'burstObservatory'] as const;

/**
 * The assembled configuration with the members that clients of 3x-ui expect: defaults of the core are written out, nothing
 * else changes.
 */
export function readableConfig(config: JsonObject): JsonObject {
  const dns = object(config['dns']);
  const strategy = dns['queryStrategy'] ?? 'UseIP';
  return {
    ...Object.fromEntries(ALWAYS.map((name) => [name, null])),
    ...config,
    fakedns: config['fakeDns'] ?? null,
    log: { access: '', dnsLog: false, error: '', loglevel: 'warning', maskAddress: '', ...object(config['log']) },
    dns: {
      enableParallelQuery: false,
      queryStrategy: strategy,
      tag: 'dns',
      ...dns,
      servers: list(dns['servers']).map((server) => nameServer(server, strategy)),
    },
    metrics: { tag: '', listen: '', ...object(config['metrics']) },
    policy: { levels: {}, system: {}, ...object(config['policy']) },
    routing: { domainStrategy: 'AsIs', rules: [], ...object(config['routing']) },
    outbounds: list(config['outbounds']).map((outbound) => ({ tag: '', settings: {}, ...object(outbound) })),
  };
}

function nameServer(server: Json, queryStrategy: Json): JsonObject {
  const usual = { address: '', port: 53, domains: [], expectIPs: [], unexpectedIPs: [], queryStrategy };
  const flags = { skipFallback: false, finalQuery: false, disableCache: false };
  return { ...usual, ...flags, ...(typeof server === 'string' ? { address: server } : object(server)) };
}

function object(value: Json | undefined): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
