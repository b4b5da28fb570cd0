import { Rejection, reject } from '../../../commands/rejection.js';
import { keyId, publicKeyPem, readHead, readPublicKey, type SignedHead } from '../../../lib/proof/signed-head.js';
import { codeOf } from '../../../messages/message.js';
import {
  consistencyProof,
  inclusionProof,
  receivedHeads,
  signedHeads,
  usualSize,
} from '../../../projections/proof-of-log.js';
import { type HttpRequest, type Needs, TextStream } from '../context.js';
import { MAX_HEADS, type proofRoutes } from '../contract/proof.js';
import type { Handlers } from '../mount.js';

const MEDIA = 'application/x-ndjson';

type Services = Needs<'read' | 'publisher' | 'provenLog' | 'growTree'>;

export const proofHandlers: Handlers<typeof proofRoutes, Services> = {
  status(_, { read, publisher }, { say }) {
    const { key, last, heads, others } = read.records.proofs();
    return {
      panel: read.identity.panelId,
      key: key && { id: keyId(key.publicKey), publicKey: key.publicKey, pem: publicKeyPem(key.publicKey) },
      last,
      heads: heads.length,
      sinks: sinksOf(publisher, say),
      others: [...others].map(([panel, { publicKey, last: newest, count, conflict }]) => ({
        ...{ panel, publicKey, last: newest, heads: count, conflict },
      })),
    };
  },

  heads({ query: { after, limit } }, { read, provenLog }) {
    return [...signedHeads(provenLog, read.records.proofs(), after, limit || MAX_HEADS)];
  },

  headsFile(_, { read, provenLog }) {
    return linesOf('heads.jsonl', signedHeads(provenLog, read.records.proofs()));
  },

  async publish(_, { publisher }, { say, dispatch }) {
    const head = await publisher.publish(dispatch);
    return head instanceof Rejection ? head : { head, sinks: sinksOf(publisher, say) };
  },

  async inclusion({ params: { position }, query: { size: asked } }, { read, provenLog, growTree }, { signal }) {
    const proofs = read.records.proofs();
    const size = asked || usualSize(provenLog, proofs, position);
    const refused = outside(provenLog.head().position, position, size);
    if (refused) return refused;
    await growTree(signal);
    const { path, ...proof } = inclusionProof(provenLog, proofs, position, size);
    return { ...proof, path: [...path] };
  },

  async consistency({ query: { from, to: asked } }, { read, provenLog, growTree }, { signal }) {
    const proofs = read.records.proofs();
    const to = asked || usualSize(provenLog, proofs, from);
    const refused = outside(provenLog.head().position, from, to);
    if (refused) return refused;
    await growTree(signal);
    const { path, ...proof } = consistencyProof(provenLog, proofs, from, to);
    return { ...proof, path: [...path] };
  },

  receive({ body: { publicKey, ...sent } }, { read }, { dispatch }) {
    const head = readHead(sent);
    const key = readPublicKey(publicKey);
    if (head === null || key === null) return reject('HEAD_INVALID');
    if (head.panel === read.identity.panelId) return reject('HEAD_OWN');
    const done = dispatch({ type: 'ReceiveHead', data: { head, publicKey: key } });
    return done instanceof Rejection ? done : null;
  },

  receivedFile({ params: { panel } }, { provenLog }) {
    return linesOf('received-heads.jsonl', receivedHeads(provenLog, panel));
  },
};

/** The rejection of a proof about positions that are not in the log, or not in this order; null when they are. */
function outside(head: number, position: number, size: number): Rejection | null {
  if (size > head) return reject('PROOF_RANGE', { min: 1, max: head, position: size });
  return position > size ? reject('PROOF_RANGE', { min: 1, max: size, position }) : null;
}

function sinksOf(publisher: Services['publisher'], say: HttpRequest['say']) {
  return publisher.state().map(({ failing, ...sink }) => ({
    ...sink,
    ...{ failingSince: failing?.since ?? 0, attempts: failing?.attempts ?? 0, nextAttemptAt: failing?.nextAt ?? 0 },
    ...{ problem: failing ? say(failing.why) : '', problemCode: codeOf(failing?.why) },
  }));
}

function linesOf(name: string, heads: Iterable<SignedHead>): TextStream {
  async function* lines(): AsyncGenerator<string> {
    for (const head of heads) yield `${JSON.stringify(head)}\n`;
  }
  return new TextStream({ media: MEDIA, name, lines: lines() });
}
