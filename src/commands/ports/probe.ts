import type { JsonObject } from '../../lib/json.js';
import type { Text } from '../../messages/message.js';

/** The result of a connection to one endpoint of an outbound; times in ms. */
export interface EndpointResult {
  /** `host:port` as the outbound has it. */
  readonly address: string;
  readonly success: boolean;
  readonly delay: number;
  readonly error?: Text;
}

/** The result of an outbound test. All times in whole ms. */
export interface ProbeResult {
  readonly success: boolean;
  readonly delay: number;
  readonly mode: 'tcp' | 'http';
  readonly error?: Text;
  /** Of the measured request: the status, and the times of the tunnel, its TLS handshake and the first byte. */
  readonly statusCode?: number;
  readonly connectMs?: number;
  readonly tlsMs?: number;
  readonly ttfbMs?: number;
  readonly endpoints?: readonly EndpointResult[];
}

export interface ProbeRequest {
  readonly outbound: JsonObject;
  /** The outbounds that others may be dialed through. */
  readonly others: readonly JsonObject[];
  /** The URL to request; the caller has checked it. */
  readonly url: string;
}

/** Tests outbounds, a few at a time. The tests never reject and leave nothing behind; `signal` ends them early. */
export interface OutboundProbe {
  /** Connects to every endpoint that the outbound names, except private addresses. */
  dial(outbound: JsonObject, signal: AbortSignal): Promise<ProbeResult>;
  /** Sends a request through a temporary core; takes at most 15 s. */
  request(asked: ProbeRequest, signal: AbortSignal): Promise<ProbeResult>;
}
