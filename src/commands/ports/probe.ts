import type { JsonObject } from '../../lib/json.js';

/** How a connection to one endpoint of an outbound went; ms. */
export interface EndpointResult {
  /** `host:port` as the outbound has it. */
  readonly address: string;
  readonly success: boolean;
  readonly delay: number;
  readonly error?: string;
}

/** How the test of an outbound went. All times in whole ms; a failure has a sentence for people. */
export interface ProbeResult {
  readonly success: boolean;
  readonly delay: number;
  readonly mode: 'tcp' | 'http';
  readonly error?: string;
  /** Of the measured request: what was answered, and when the tunnel, its TLS and the first byte were there. */
  readonly statusCode?: number;
  readonly connectMs?: number;
  readonly tlsMs?: number;
  readonly ttfbMs?: number;
  readonly endpoints?: readonly EndpointResult[];
}

export interface ProbeRequest {
  readonly outbound: JsonObject;
  /** Where outbounds are looked for that others are dialled through. */
  readonly others: readonly JsonObject[];
  /** The URL to request; the caller has checked it. */
  readonly url: string;
}

/** Tests outbounds, a few at a time. Neither test rejects, and neither leaves anything behind; `signal` ends both early. */
export interface OutboundProbe {
  /** Connects to every endpoint that the outbound names, and to nothing private. */
  dial(outbound: JsonObject, signal: AbortSignal): Promise<ProbeResult>;
  /** Asks through a core of its own, which lives for this one test: 15 s at most, all in all. */
  request(asked: ProbeRequest, signal: AbortSignal): Promise<ProbeResult>;
}
