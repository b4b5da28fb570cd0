import type { JsonObject } from '../../../lib/json.js';
import { privateNetworks } from '../../../lib/net/private-networks.js';
import { message, type Text } from '../../../messages/message.js';
import { withCurrentStream } from '../config/inbound.js';
import { fold } from '../config/names.js';
import { checkPointers, withFinalRule } from '../config/outbounds.js';
import { checkPaths } from '../config/paths.js';
import { members } from '../config/template.js';
import { type Hop, protocolOf, tagOf } from './chain.js';

/** The SOCKS inbound of a temporary core, on loopback, with credentials that only the test has. */
export interface ProbeProxy {
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

interface Options {
  /** The tested outbound, and the outbounds that it is dialed through. */
  readonly chain: readonly Hop[];
  readonly tag: string;
  readonly dataDir: string;
  readonly allowPrivate: boolean;
}

const NOWHERE = 'portolan-probe-nowhere';

/**
 * The whole configuration of a temporary core: one SOCKS inbound and the tested outbound; no files, no other listeners.
 * Connections that match no rule are dropped. Throws `CoreError` 'invalid' for outbounds that a template may not have.
 */
export function probeConfig(
  { chain, tag, dataDir, allowPrivate }: Options,
  { port, user, password }: ProbeProxy,
): JsonObject {
  const outbounds = chain.map(({ outbound }) => withCurrentStream(inUserSpace(outbound)));
  checkPaths(outbounds, { dataDir, inbound: null });
  checkPointers(outbounds);
  // The tag is random, so no outbound can send anything back to it.
  const inboundTag = `portolan-probe-${user}`;
  const closed = { action: 'block', ip: privateNetworks, blockDelay: 1 };
  return {
    log: { loglevel: 'none', access: 'none' },
    inbounds: [
      {
        tag: inboundTag,
        listen: '127.0.0.1',
        port,
        protocol: 'socks',
        settings: { auth: 'password', accounts: [{ user, pass: password }], udp: false },
      },
    ],
    outbounds: [
      { tag: NOWHERE, protocol: 'blackhole' },
      ...(allowPrivate ? outbounds : outbounds.map((outbound) => withFinalRule(outbound, closed))),
    ],
    routing: {
      domainStrategy: 'AsIs',
      rules: [
        ...(allowPrivate ? [] : [{ ip: privateNetworks, outboundTag: NOWHERE }]),
        { inboundTag: [inboundTag], outboundTag: tag },
      ],
    },
  };
}

/** WireGuard without a kernel tunnel device, which would carry other traffic too. */
function inUserSpace(outbound: JsonObject): JsonObject {
  if (protocolOf(outbound) !== 'wireguard') return outbound;
  const { settings, ...rest } = Object.fromEntries(
    Object.entries(outbound).map(([key, member]) => [fold(key) === 'settings' ? 'settings' : key, member]),
  );
  const kept = Object.entries(settings ?? {}).filter(([key]) => fold(key) !== 'nokerneltun');
  return { ...rest, settings: { ...Object.fromEntries(kept), noKernelTun: true } };
}

/** Why an outbound cannot be tested, or null. */
export function untestable(outbound: JsonObject): Text | null {
  members(outbound); // throws for names that the core could read in two ways
  const tag = tagOf(outbound);
  if (tag === '') return message('core.outboundWithoutTag');
  return ['blackhole', 'block'].includes(protocolOf(outbound)) || tag === 'blocked'
    ? message('core.outboundBlocked')
    : null;
}
