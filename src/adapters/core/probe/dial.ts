import { connect } from 'node:net';
import type { EndpointResult } from '../../../commands/ports/probe.js';
import { WebError } from '../../../commands/ports/web.js';
import { unlessAborted } from '../../../lib/abort.js';
import { textOf } from '../../../messages/error.js';
import { message, type Text } from '../../../messages/message.js';
import { check, type Resolve } from '../../web/target.js';
import type { Endpoint } from './chain.js';

/** Timeout for one endpoint, including the lookup of its name, in ms. */
const DIAL_MS = 5_000;

interface DialRules {
  readonly resolve: Resolve;
  readonly allowPrivate: boolean;
}

/** The endpoint's checked addresses. Rejects with `WebError`, of kind 'refused' for an address that is not public. */
export async function addressesOf({ host, port }: Endpoint, rules: DialRules): Promise<readonly string[]> {
  const text = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`;
  if (!URL.canParse(text)) throw new WebError('refused', message('network.endpointInvalid'));
  return (await check(new URL(text), rules.resolve, rules.allowPrivate)).addresses;
}

/** Connects to the addresses one after the other until one accepts, then disconnects. Never rejects. */
export async function dialEndpoint(endpoint: Endpoint, rules: DialRules, signal: AbortSignal): Promise<EndpointResult> {
  const { host, port } = endpoint;
  const start = performance.now();
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(DIAL_MS)]);
  const ended = (error?: Text): EndpointResult => ({
    address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    success: error === undefined,
    delay: Math.max(1, Math.round(performance.now() - start)),
    ...(error === undefined ? {} : { error }),
  });
  try {
    const addresses = await unlessAborted(addressesOf(endpoint, rules), timeout, () => new Error('aborted'));
    for (const [index, address] of addresses.entries()) {
      const problem = await tryConnect(address, port, timeout);
      if (problem === null) return ended();
      if (index + 1 === addresses.length) return ended(problem);
    }
    return ended(NO_ANSWER);
  } catch (error) {
    return ended(error instanceof WebError ? reasonOf(error) : NO_ANSWER);
  }
}

const NO_ANSWER = message('core.endpointNoAnswer');

/** The part of the reason that may be shown why an address is not dialed. */
export function reasonOf(error: WebError): Text {
  return textOf(error.kind === 'refused' && error.cause instanceof Error ? error.cause : error);
}

function tryConnect(address: string, port: number, signal: AbortSignal): Promise<Text | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const settle = (problem: Text | null): void => {
      signal.removeEventListener('abort', timedOut);
      socket.destroy();
      resolve(problem);
    };
    const timedOut = (): void => settle(NO_ANSWER);
    if (signal.aborted) timedOut();
    else signal.addEventListener('abort', timedOut, { once: true });
    socket
      .once('connect', () => settle(null))
      .on('error', (error: NodeJS.ErrnoException) =>
        settle(error.code === 'ECONNREFUSED' ? message('core.endpointRefused') : NO_ANSWER),
      );
  });
}
