import type { AddressControl, CoreInbounds, CoreStats, CoreUsers } from '../../../commands/ports/core.js';
import type { JsonObject } from '../../../lib/json.js';
import { disconnectUsers } from '../attribution/disconnect.js';
import { accountDigest } from '../config/account.js';
import { assemble } from '../config/assembly.js';
import { assembleInbound } from '../config/inbound.js';
import { outboundTagsOf } from '../config/outbounds.js';
import { blockUsers, rulesOf } from '../config/routing.js';
import { checkMetrics } from '../process/metrics-port.js';
import type { XrayProcess, XrayProcessParts } from '../process/xray-process.js';
import { blockAddresses, disconnectAddresses, idleTimesOf } from './addresses.js';
import { countersOf, decodeCounters } from './counters.js';
import { addInbounds, addUser, onlineUsers, removeInbound, removeUser, usersOf } from './hot.js';
import { coreMetrics } from './metrics.js';

/** What the ports of a running core work on. */
interface LiveParts extends XrayProcessParts {
  readonly process: Pick<XrayProcess, 'live' | 'running' | 'metricsAddress'>;
}

export function coreInbounds({ files, config, process, binary }: LiveParts): CoreInbounds {
  return {
    add: async (inbounds) => {
      const taken = outboundTagsOf(config.template ?? {});
      const refused = await addInbounds(process.live.api, binary.current, inbounds, (inbound) => {
        checkMetrics(inbound, process.metricsAddress);
        return assembleInbound(inbound, files.dataDir, taken);
      });
      config.add(inbounds.filter(({ tag }) => !refused.has(tag)));
      return refused;
    },
    remove: async (inbound) => {
      const { api, core } = process.live;
      await removeInbound(api, core.pid, inbound);
      config.remove(inbound.tag);
    },
    tags: async () => {
      const { inbounds } = await process.live.api.call('HandlerService/ListInbounds', { isOnlyTags: true });
      return inbounds.map(({ tag }) => tag);
    },
    applied: () => config.inbounds,
  };
}

export function coreUsers(parts: LiveParts): CoreUsers {
  const { flows, process } = parts;
  return {
    add: async (inbound, user) => addUser(process.live.api, inbound, user),
    remove: async (inbound, user) => removeUser(process.live.api, inbound, user),
    disconnect: async (inbound, clients) => {
      if (clients.length === 0) return [];
      const { api, core, logs } = process.live;
      return disconnectUsers(inbound, clients, {
        pid: core.pid,
        logs,
        flows,
        counters: (wanted) => countersOf(api, wanted),
        refuse: (tag, clients) => blockUsers(api, tag, clients, () => templateRules(parts)),
      });
    },
    seen: async ({ tag }) => {
      const { logs } = process.live;
      await logs.read();
      return logs.sources.clientsOf(tag);
    },
    list: async (inbound) => usersOf(process.live.api, inbound),
    digest: accountDigest,
  };
}

export function addressControl(parts: LiveParts): AddressControl {
  const { config, flows, process } = parts;
  const configOf = (tag: string): JsonObject => config.inbounds.get(tag) ?? {};
  return {
    block: async (blocked) => blockAddresses(process.live.api, blocked, () => templateRules(parts)),
    disconnect: async (blocked, last) => {
      const { core, logs } = process.live;
      return disconnectAddresses(blocked, last, { pid: core.pid, logs, flows, configOf });
    },
    idleTimes: async (people) => idleTimesOf(people, process.live.logs, configOf),
  };
}

export function coreStats({ config, process }: LiveParts): CoreStats {
  return {
    counters: async () => {
      const { api } = process.live;
      const counters = decodeCounters(await api.call('StatsService/QueryStats', { pattern: '', reset: false }, 15_000));
      // Both the decoding and the recording of many counters take long: other work runs in between.
      await new Promise((resolve) => setImmediate(resolve));
      return counters;
    },
    online: async () => onlineUsers(process.live.api),
    metrics: coreMetrics({
      api: () => process.live.api,
      listen: () => (process.running === null ? null : process.metricsAddress),
      template: () => config.template,
    }),
  };
}

/** The routing rules of the running core's template, encoded as the core expects them. */
async function templateRules({ files, config, binary }: LiveParts): Promise<readonly Buffer[]> {
  const { routing = {} } = assemble({ template: config.template ?? {}, inbounds: new Map() }, files.paths);
  return rulesOf(await binary.current.convert({ routing }));
}
