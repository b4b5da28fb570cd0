import type { Inbound } from '../../events/inbound/inbound-document.js';
import { isReachable, isSocketPath } from './address.js';
import { fieldsOf, textOf } from './fields.js';

/** Stream settings that clients use from the inbound in front. */
const FRONT = ['security', 'tlsSettings', 'realitySettings', 'externalProxy'] as const;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]', '::1'] as const;

/**
 * An inbound as clients reach it. If it listens on a socket or on loopback and is a fallback of another inbound, it has the
 * address and the TLS settings of that inbound. Other inbounds are returned unchanged.
 */
export function behindFront(inbound: Inbound, inbounds: Iterable<Inbound>): Inbound {
  const places = privatePlaces(inbound);
  if (places.length === 0) return inbound;
  for (const front of inbounds) {
    if (front.id === inbound.id || !fallsBackTo(front, places)) continue;
    const stream = { ...inbound.config.stream };
    for (const name of FRONT) {
      const value = front.config.stream?.[name];
      if (value === undefined) delete stream[name];
      else stream[name] = value;
    }
    return { ...inbound, listen: front.listen, port: front.port, config: { ...inbound.config, stream } };
  }
  return inbound;
}

/** The destinations by which a fallback refers to a local inbound; empty for an inbound that other machines reach. */
function privatePlaces({ listen, port }: Inbound): readonly string[] {
  if (isSocketPath(listen)) return [listen];
  const everywhere = listen === '' || listen === '0.0.0.0' || /^[0:]+$/.test(listen);
  if (everywhere || isReachable(listen)) return [];
  return [String(port), ...[listen, ...LOOPBACK].map((host) => `${host}:${port}`)];
}

function fallsBackTo(front: Inbound, places: readonly string[]): boolean {
  const fallbacks = front.config.settings['fallbacks'];
  if (!Array.isArray(fallbacks)) return false;
  return fallbacks.some((fallback) => {
    const dest = fieldsOf(fallback)['dest'];
    return places.includes(typeof dest === 'number' ? String(dest) : textOf(dest));
  });
}
