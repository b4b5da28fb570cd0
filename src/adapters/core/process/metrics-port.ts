import { type CoreConfig, CoreError, type CoreInbound } from '../../../commands/ports/core.js';
import { loopbackPorts } from '../../../lib/net/loopback-targets.js';
import { message } from '../../../messages/message.js';
import { asksForMetrics } from '../config/assembly.js';
import { portsOf } from '../config/inbound.js';
import { freeLoopbackPort } from './free-port.js';

const MAX_TRIES = 50;

/**
 * The address for the core's metrics: on loopback, at a port that no inbound listens on or forwards to. Null = the template
 * enables no metrics, or no such port was found.
 */
export async function metricsFor({ template, inbounds }: CoreConfig): Promise<string | null> {
  if (!asksForMetrics(template)) return null;
  const configs = [...inbounds.values()].map(({ config }) => config);
  const aimed = loopbackPorts(configs);
  const heard = configs.flatMap(portsOf);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = await freeLoopbackPort();
    if (!aimed.has(port) && !heard.some(([from, to]) => from <= port && port <= to)) return `127.0.0.1:${port}`;
  }
  return null;
}

/** Throws `CoreError` 'invalid' for an inbound that would expose the metrics to its clients. */
export function checkMetrics({ config, tag }: CoreInbound, metrics: string | null): void {
  if (metrics === null || !loopbackPorts(config).has(Number(metrics.split(':').at(-1)))) return;
  const why = message('core.leadsToMetrics');
  throw new CoreError('invalid', message('core.inboundUnusable', { tag, why }), { inbound: tag });
}
