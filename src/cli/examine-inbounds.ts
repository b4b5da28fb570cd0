import { pairProblem } from '../adapters/tls/certificates.js';
import type { InboundId, NodeId } from '../events/ids.js';
import { type Inbound, serves } from '../events/inbound/inbound-document.js';
import { certificateFileOf, certificatesOf, needsNoFile } from '../lib/certificate-pairs.js';
import type { CoreState } from '../projections/core/core-state.js';
import { refusedHere } from '../projections/core/refused-here.js';
import type { Finding } from './finding.js';

/**
 * What keeps inbounds from running: the core of this machine refuses them, their certificates cannot be used, or the node
 * that they are bound to was deleted.
 */
export async function examineInbounds(
  inbounds: ReadonlyMap<InboundId, Inbound>,
  core: Pick<CoreState, 'refused'>,
  nodes: ReadonlyMap<NodeId, unknown>,
): Promise<readonly Finding[]> {
  const wrong: Finding[] = [];
  const find = ({ id, tag }: Inbound, detail: string): void =>
    void wrong.push({ what: `inbound ${id} (${tag})`, ok: false, note: true, detail });
  const refused = refusedHere(inbounds, core);
  for (const { inbound, reason } of refused) find(inbound, `the core does not take it: ${reason}`);
  const known = new Set(refused.map(({ inbound }) => inbound));
  const here = [...inbounds.values()].filter((inbound) => inbound.node === null && serves(inbound));
  for (const inbound of here) {
    if (known.has(inbound)) continue;
    for (const pair of certificatesOf(inbound.config.stream)) {
      const flaw = await pairProblem(pair);
      if (flaw !== null) find(inbound, `${certificateFileOf(pair) ?? 'its certificate'}: ${flaw}`);
    }
  }
  // Files of a node cannot be read here; lines can.
  const there = [...inbounds.values()].filter(({ node }) => node !== null && nodes.has(node));
  for (const inbound of there.filter(serves)) {
    for (const pair of certificatesOf(inbound.config.stream).filter(needsNoFile)) {
      const flaw = await pairProblem(pair);
      if (flaw !== null) find(inbound, `its certificate: ${flaw}`);
    }
  }
  for (const inbound of inbounds.values())
    if (inbound.node !== null && !nodes.has(inbound.node))
      find(
        inbound,
        `its node (#${inbound.node}) was deleted, so it runs nowhere: delete it, or add it again here or on another node`,
      );
  if (wrong.length > 0) return wrong;
  return [
    {
      what: 'inbounds',
      ok: true,
      detail: `no refusal of the core is on record, of ${here.length} that shall run here`,
    },
  ];
}
