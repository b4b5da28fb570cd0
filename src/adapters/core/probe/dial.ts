import { connect } from 'node:net';
import type { EndpointResult } from '../../../commands/ports/probe.js';
import { WebError } from '../../../commands/ports/web.js';
import { unlessAborted } from '../../../lib/abort.js';
import { message } from '../../../messages/message.js';
import { judge, type Resolve } from '../../web/target.js';
import type { Endpoint } from './chain.js';

/** For one endpoint, its name included, in ms. */
const DIAL_MS = 5_000;

export interface DialRules {
  readonly resolve: Resolve;
  readonly allowPrivate: boolean;
}

/** The endpoint's checked addresses. Rejects with `WebError`, of kind 'refused' for what is not public. */
export async function addressesOf({ host, port }: Endpoint, rules: DialRules): Promise<readonly string[]> {
  const text = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`;
  if (!URL.canParse(text)) throw new WebError('refused', message('network.endpointInvalid'));
  return (await judge(new URL(text), rules.resolve, rules.allowPrivate)).addresses;
}

/** Connects to the addresses one after the other until one accepts, then disconnects. Never rejects. */
export async function dialEndpoint(endpoint: Endpoint, rules: DialRules, signal: AbortSignal): Promise<EndpointResult> {
  const { host, port } = endpoint;
  const start = performance.now();
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(DIAL_MS)]);
  const ended = (error?: string): EndpointResult => ({
    address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    success: error === undefined,
    delay: Math.max(1, Math.round(performance.now() - start)),
    ...(error === undefined ? {} : { error }),
  });
  try {
    const addresses = await unlessAborted(addressesOf(endpoint, rules), timeout, () => new Error('aborted'));
    for (const [index, address] of addresses.entries()) {
      const problem = await hello(address, port, timeout);
      if (problem === null) return ended();
      if (index + 1 === addresses.length) return ended(problem);
    }
    return ended(NO_ANSWER);
  } catch (error) {
    return ended(error instanceof WebError ? reasonOf(error) : NO_ANSWER);
  }
}

const NO_ANSWER = 'No answer';

/** The public part of the reason why an address is not dialled. */
export function reasonOf(error: WebError): string {
  return error.kind === 'refused' && error.cause instanceof Error ? error.cause.message : error.message;
}

function hello(address: string, port: number, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const settle = (problem: string | null): void => {
      signal.removeEventListener('abort', late);
      socket.destroy();
      resolve(problem);
    };
    const late = (): void => settle(NO_ANSWER);
    if (signal.aborted) late();
    else signal.addEventListener('abort', late, { once: true });
    socket
      .once('connect', () => settle(null))
      .on('error', (error: NodeJS.ErrnoException) =>
        settle(error.code === 'ECONNREFUSED' ? 'Connection refused' : NO_ANSWER),
      );
  });
}
