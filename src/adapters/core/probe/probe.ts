import { lookup } from 'node:dns/promises';
import { resolve as resolvePath } from 'node:path';
import { CoreError } from '../../../commands/ports/core.js';
import type { OutboundProbe, ProbeRequest, ProbeResult } from '../../../commands/ports/probe.js';
import { WebError } from '../../../commands/ports/web.js';
import { diskFault } from '../../../lib/errors/disk-fault.js';
import type { JsonObject } from '../../../lib/json.js';
import { MessageError } from '../../../messages/error.js';
import { type MessageParams, message, type Text, verbatim } from '../../../messages/message.js';
import type { Resolve } from '../../web/target.js';
import { binaryMissing } from '../process/binary-errors.js';
import { coreFiles } from '../process/core-files.js';
import { chainOf, endpointsOf, type Hop, ownHosts, tagOf } from './chain.js';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { probeConfig, untestable } from './config.js';
import { checkDetours } from './detour.js';
import { addressesOf, dialEndpoint, reasonOf } from './dial.js';
import { measuredGet } from './measure.js';
import { sweep, withTemporaryCore } from './temporary-core.js';

export interface ProbeOptions {
  /** Path of the executable, or null when there is none; called for each test. */
  readonly binary: () => string | null;
  readonly runDir: string;
  /** Folder of the geo files. */
  readonly assetDir: string;
  /** `PORTOLAN_ALLOW_PRIVATE_OUTBOUND`. */
  readonly allowPrivate: boolean;
  /** For tests; the system's resolver without it. */
  readonly resolve?: Resolve;
  /** For tests: the CA of the target's certificate. */
  readonly ca?: string;
  /** For tests: timeout of one request, in ms. */
  readonly requestMs?: number;
}

/** Timeout of a whole test, without the time in the queue, in ms. */
const TEST_MS = 15_000;
/** Timeout of one request through the temporary core, in ms. */
const REQUEST_MS = 10_000;
/** Maximum time in the queue, in ms. */
const WAIT_MS = 30_000;
/** Temporary cores at once, and tests that wait for one. */
const MAX_CORES = 3;
const MAX_WAITING = 50;
/** Dial tests at once, and endpoints of one of them. */
const MAX_DIALS = 8;
const MAX_ENDPOINTS = 32;
/** An address is public or not, whatever the port. */
const ANY_PORT = 443;

export function createOutboundProbe(options: ProbeOptions): OutboundProbe & { close(): Promise<void> } {
  const { binary, allowPrivate, ca, requestMs = REQUEST_MS } = options;
  const { resolve = (host) => lookup(host, { all: true }) } = options;
  const { paths, dataDir, environment } = coreFiles({ ...options, logDir: options.runDir, splice: true });
  const rules = { resolve, allowPrivate };
  const dials = new ConcurrencyLimit(MAX_DIALS, MAX_WAITING);
  const cores = new ConcurrencyLimit(MAX_CORES, MAX_WAITING);
  const closing = new AbortController();
  const open = new Set<Promise<unknown>>([sweep(paths.runDir).catch(() => undefined)]);

  /** One test in its turn. Never rejects. */
  const inTurn = async (
    turns: ConcurrencyLimit,
    mode: ProbeResult['mode'],
    caller: AbortSignal,
    test: (signal: AbortSignal) => Promise<ProbeResult>,
  ): Promise<ProbeResult> => {
    const stop = AbortSignal.any([caller, closing.signal]);
    if (!(await turns.enter(AbortSignal.any([stop, AbortSignal.timeout(WAIT_MS)]))))
      return failed(mode, message('core.testBusy'));
    const limit = AbortSignal.timeout(TEST_MS);
    const running = test(AbortSignal.any([stop, limit]))
      .catch((error: unknown) => failed(mode, limit.aborted ? message('core.testTimedOut') : reasonFor(error)))
      .finally(() => turns.leave());
    open.add(running);
    return running.finally(() => open.delete(running));
  };

  const request = async ({ outbound, others, url }: ProbeRequest, signal: AbortSignal): Promise<ProbeResult> => {
    const problem = untestable(outbound);
    if (problem !== null) return failed('http', problem);
    const path = binary();
    if (path === null) throw binaryMissing();
    const chain = chainOf(outbound, others);
    await checkServers(chain);
    const wanted = { chain, tag: tagOf(outbound), dataDir, allowPrivate };
    const { runDir } = paths;
    const core = { binary: resolvePath(path), runDir, environment, config: probeConfig.bind(null, wanted) };
    return withTemporaryCore(core, signal, async (proxy) => {
      const get = (): ReturnType<typeof measuredGet> =>
        measuredGet(new URL(url), proxy, AbortSignal.any([signal, AbortSignal.timeout(requestMs)]), ca);
      try {
        await get(); // the handshakes of the outbound itself are not measured
        const { tlsMs, ...measured } = await get();
        return { success: true, mode: 'http', ...measured, ...(tlsMs > 0 ? { tlsMs } : {}) };
      } catch (error) {
        return failed('http', message('core.requestFailed', { why: reasonFor(error) }));
      }
    });
  };

  /** The servers to which this machine itself would connect must be public, all of them. Rejects with `WebError`, `CoreError`. */
  const checkServers = async (chain: readonly Hop[]): Promise<void> => {
    const hosts = [...new Set(chain.flatMap(ownHosts))];
    if (hosts.length > MAX_ENDPOINTS)
      throw new CoreError('invalid', message('core.tooManyServers', { most: MAX_ENDPOINTS }));
    if (!allowPrivate) for (const { outbound } of chain) checkDetours(outbound);
    await Promise.all(hosts.map((host) => addressesOf({ host, port: ANY_PORT }, rules)));
  };

  return {
    dial: (outbound, signal) => inTurn(dials, 'tcp', signal, (limit) => dialAll(outbound, rules, limit)),
    request: (asked, signal) => inTurn(cores, 'http', signal, (limit) => request(asked, limit)),
    close: async () => {
      closing.abort();
      await Promise.all(open);
    },
  };
}

async function dialAll(
  outbound: JsonObject,
  rules: Parameters<typeof addressesOf>[1],
  signal: AbortSignal,
): Promise<ProbeResult> {
  const named = tagOf(outbound) === 'blocked' ? [] : endpointsOf(outbound);
  if (named.length === 0) return failed('tcp', message('core.outboundWithoutEndpoint'));
  const endpoints = await Promise.all(
    named.slice(0, MAX_ENDPOINTS).map((endpoint) => dialEndpoint(endpoint, rules, signal)),
  );
  const good = endpoints.filter(({ success }) => success).map(({ delay }) => delay);
  if (good.length > 0) return { success: true, delay: Math.min(...good), mode: 'tcp', endpoints };
  return { ...failed('tcp', endpoints[0]?.error ?? message('core.endpointNoAnswer')), endpoints };
}

const failed = (mode: ProbeResult['mode'], error: Text): ProbeResult => ({ success: false, delay: 0, error, mode });

/** Why a test failed. Bounded, because it may repeat what a server sent. */
function reasonFor(error: unknown): Text {
  if (error instanceof WebError) return reasonOf(error);
  if (error instanceof CoreError) return ofOutbound(error.text);
  if (error instanceof MessageError) return error.text;
  const fault = diskFault(error);
  if (fault !== null) return fault.why;
  return error instanceof Error ? verbatim(error.message.slice(0, 300)) : message('core.testFailed');
}

/** The rules for outbounds are those of the template. */
function ofOutbound(text: Text): Text {
  if (!('code' in text) || text.code !== 'core.templateUnusable') return text;
  return message('core.outboundUnusable', text.params as MessageParams['core.templateUnusable']);
}
