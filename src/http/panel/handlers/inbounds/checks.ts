import type { InboundDraft } from '../../../../commands/inbound/inbound.js';
import { layers, overlap } from '../../../../commands/inbound/inbound-rules.js';
import { CoreError } from '../../../../commands/ports/core.js';
import { type Rejection, reject } from '../../../../commands/rejection.js';
import type { NodeId } from '../../../../events/ids.js';
import { type Inbound, isLocal, serves } from '../../../../events/inbound/inbound-document.js';
import { type CertificatePair, certificatesOf, needsNoFile } from '../../../../lib/certificate-pairs.js';
import { sameJson } from '../../../../lib/json.js';
import { message } from '../../../../messages/message.js';
import { coreInbound } from '../../../../projections/core/core-json.js';
import { coreInboundOf } from '../../codec/core-inbound.js';
import { coreRejection } from '../../codec/template.js';
import type { Needs } from '../../context.js';

/** Without a core the configuration cannot be tested. */
export type Untested = 'untested';
type Asked = Needs<'read' | 'core' | 'portProblem' | 'pairProblem' | 'coreSettled'>;

/** How long the core may take to release the port of an inbound that was just deleted, in ms. */
const SETTLED_MS = 3_000;

/**
 * Checks of an inbound by the machine and the core, before the command is decided. An unchanged inbound is not checked, nor
 * are files and ports of an inbound on a node or on another machine of the cluster: that one checks them.
 */
export async function externalProblem(
  asked: Asked,
  draft: InboundDraft,
  place: { readonly node: NodeId | null; readonly askedAt: string | undefined },
  current?: Inbound,
): Promise<Rejection | Untested | null> {
  const given = certificatesOf(draft.config.stream);
  if (place.node !== null || isElsewhere(asked, draft, place.askedAt)) {
    const known = current !== undefined && sameJson(current.config.stream, draft.config.stream);
    return known ? null : certificateProblem(asked, given.filter(needsNoFile));
  }
  const rendered = coreInboundOf(draft);
  if (current && sameJson(rendered.config, coreInbound(current).config)) return null;
  return (
    (await foreignHolder(asked, draft)) ??
    (await certificateProblem(asked, given)) ??
    (await refusal(() => asked.core.config.testInbound(rendered)))
  );
}

function isElsewhere({ read }: Asked, { spec }: InboundDraft, askedAt: string | undefined): boolean {
  const here = read.records.machine;
  return here !== null && (spec.machine ?? askedAt ?? here) !== here;
}

/** Whether another program uses the port. Ports of the panel's own inbounds are checked by the command. */
async function foreignHolder(
  { read, portProblem, coreSettled }: Asked,
  { spec, config }: InboundDraft,
): Promise<Rejection | null> {
  const { listen, port, protocol } = spec;
  if (port === 0 || listen.startsWith('/') || listen.startsWith('@')) return null;
  const neighbours = read.inbounds
    .all()
    .filter(
      (other) =>
        isLocal(other, read.records.machine) && other.port === port && serves(other) && overlap(other.listen, listen),
    );
  for (const layer of layers(protocol, config)) {
    if (neighbours.some((other) => layers(other.protocol, other.config).has(layer))) continue;
    let problem = await portProblem(listen, port, layer === 'udp');
    if (problem === 'taken') {
      await coreSettled(SETTLED_MS);
      problem = await portProblem(listen, port, layer === 'udp');
    }
    if (problem === 'taken') return reject('PORT_TAKEN', { port, by: message('inbound.otherProgram') });
    if (problem === 'forbidden') return reject('PORT_FORBIDDEN', { port });
    if (problem === 'no such address') return reject('LISTEN_UNKNOWN', { listen });
  }
  return null;
}

async function certificateProblem(asked: Asked, pairs: readonly CertificatePair[]): Promise<Rejection | null> {
  for (const pair of pairs) {
    const why = await asked.pairProblem(pair);
    if (why !== null) return reject('CONFIG_INVALID', { why });
  }
  return null;
}

/** The rejection of the core, or `untested` when there is no core. A core that does not respond counts as a rejection. */
export async function refusal(ask: () => Promise<void>): Promise<Rejection | Untested | null> {
  try {
    await ask();
    return null;
  } catch (error) {
    return error instanceof CoreError && error.kind === 'missing' ? 'untested' : coreRejection(error);
  }
}
