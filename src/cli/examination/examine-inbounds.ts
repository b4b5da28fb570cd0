import { pairProblem } from '../../adapters/tls/certificates.js';
import type { InboundId, NodeId } from '../../events/ids.js';
import { type Inbound, serves } from '../../events/inbound/inbound-document.js';
import { certificateFileOf, certificatesOf, needsNoFile } from '../../lib/certificate-pairs.js';
import { message, type Text } from '../../messages/message.js';
import type { MachineCore } from '../../projections/core/core-state.js';
import { refusedHere } from '../../projections/core/refused-here.js';
import { type Finding, good, note } from './finding.js';

/**
 * Why inbounds do not run: the core of this machine rejects them, their certificates cannot be used, or their node was
 * deleted.
 */
export async function examineInbounds(
  inbounds: ReadonlyMap<InboundId, Inbound>,
  core: Pick<MachineCore, 'refused'>,
  nodes: ReadonlyMap<NodeId, unknown>,
): Promise<readonly Finding[]> {
  const wrong: Finding[] = [];
  const find = ({ id, tag }: Inbound, detail: Text): void =>
    void wrong.push(note(message('cli.checkInbound', { id, tag }), detail));
  const refused = refusedHere(inbounds, core);
  for (const { inbound, reason } of refused) find(inbound, message('cli.inboundRefused', { reason }));
  const known = new Set(refused.map(({ inbound }) => inbound));
  const here = [...inbounds.values()].filter((inbound) => inbound.node === null && serves(inbound));
  for (const inbound of here) {
    if (known.has(inbound)) continue;
    for (const pair of certificatesOf(inbound.config.stream)) {
      const problem = await pairProblem(pair);
      const file = certificateFileOf(pair);
      if (problem === null) continue;
      find(
        inbound,
        file ? message('cli.certificateBad', { file, why: problem }) : message('cli.certificateOwn', { why: problem }),
      );
    }
  }
  // Files of a node cannot be read here; lines can.
  const there = [...inbounds.values()].filter(({ node }) => node !== null && nodes.has(node));
  for (const inbound of there.filter(serves)) {
    for (const pair of certificatesOf(inbound.config.stream).filter(needsNoFile)) {
      const problem = await pairProblem(pair);
      if (problem !== null) find(inbound, message('cli.certificateOwn', { why: problem }));
    }
  }
  for (const inbound of inbounds.values())
    if (inbound.node !== null && !nodes.has(inbound.node))
      find(inbound, message('cli.inboundNodeDeleted', { node: inbound.node }));
  if (wrong.length > 0) return wrong;
  return [good(message('cli.checkInbounds'), message('cli.inboundsGood', { inbounds: here.length }))];
}
