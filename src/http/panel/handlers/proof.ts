import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Rejection, reject } from '../../../commands/rejection.js';
import { installedFile } from '../../../installation/installation.js';
import { keyId, publicKeyPem, readHead, readPublicKey, type SignedHead } from '../../../lib/proof/signed-head.js';
import { codeOf } from '../../../messages/message.js';
import {
  consistencyProof,
  inclusionProof,
  receivedHeads,
  signedHeads,
  usualSize,
} from '../../../projections/proof-of-log.js';
import type { Rate } from '../../server/rate.js';
import type { HttpRequest, Needs } from '../context.js';
import { MAX_HEADS, type proofRoutes } from '../contract/proof.js';
import { callerOf } from '../idempotency.js';
import type { Handlers } from '../mount.js';
import { Attachment, TextStream } from '../outcomes.js';

const MEDIA = 'application/x-ndjson';
/** The build makes it. */
const VERIFIER = installedFile('dist/verify-log.mjs');
/** Events that are exported before other work gets a turn: about 5 ms. */
const LINES_PER_TURN = 100;

/** Of the heads that one caller sends: a panel sends up to 100 in one attempt, and one each hour. The log keeps all of them. */
export const HEAD_RATE = { burst: 200, perSecond: 1 / 120 } as const;

const MINUTE_MS = 60_000;

interface Services extends Needs<'read' | 'publisher' | 'provenLog' | 'growTree'> {
  readonly headRate: Rate;
}

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

  heads({ query: { after, limit, newest = false } }, { read, provenLog }) {
    const { heads } = read.records.proofs();
    const most = limit || MAX_HEADS;
    if (newest) return [...signedHeads(provenLog, { heads: heads.slice(-most) }, after)].reverse();
    return [...signedHeads(provenLog, { heads }, after, most)];
  },

  headsFile(_, { read, provenLog }) {
    return linesOf('heads.jsonl', signedHeads(provenLog, read.records.proofs()));
  },

  eventsFile(_, { provenLog }, { signal }) {
    return new TextStream({ media: MEDIA, name: 'events.jsonl', lines: exportedLines(provenLog, signal) });
  },

  verifier: () => verifierIn(VERIFIER),

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

  receive({ body: { publicKey, ...sent } }, { read, headRate }, { dispatch, actor }) {
    const head = readHead(sent);
    const key = readPublicKey(publicKey);
    if (head === null || key === null) return reject('HEAD_INVALID');
    if (head.panel === read.identity.panelId) return reject('HEAD_OWN');
    const wait = headRate.waitOf(callerOf(actor));
    if (wait > 0) return reject('HEADS_TOO_MANY', { wait: Math.ceil(wait / MINUTE_MS) * MINUTE_MS });
    const done = dispatch({ type: 'ReceiveHead', data: { head, publicKey: key } });
    if (done instanceof Rejection) return done;
    if (done.events.length > 0) headRate.take(callerOf(actor));
    return null;
  },

  receivedFile({ params: { panel } }, { provenLog }) {
    return linesOf('received-heads.jsonl', receivedHeads(provenLog, panel));
  },
};

/** The rejection of a proof about positions that are not in the log, or not in this order; null when they are. */
function outside(head: number, position: number, size: number): Rejection | null {
  if (size > head) return reject('PROOF_RANGE', { min: 1, max: head, position: size });
  return position < 1 || position > size ? reject('PROOF_RANGE', { min: 1, max: size, position }) : null;
}

function sinksOf(publisher: Services['publisher'], say: HttpRequest['say']) {
  return publisher.state().map(({ failing, ...sink }) => ({
    ...sink,
    ...{ failingSince: failing?.since ?? 0, attempts: failing?.attempts ?? 0, nextAttemptAt: failing?.nextAt ?? 0 },
    ...{ problem: failing ? say(failing.why) : '', problemCode: codeOf(failing?.why) },
  }));
}

/** The log up to its present end, as lines of an export. */
async function* exportedLines(log: Services['provenLog'], signal: AbortSignal): AsyncGenerator<string> {
  const { position: last } = log.head();
  for (let position = 1; position <= last && !signal.aborted; position += 1) {
    const found = log.stored.tree.lineAt(position);
    if (found) yield `${found.line}\n`;
    if (position % LINES_PER_TURN === 0) await nextTurn();
  }
}

function linesOf(name: string, heads: Iterable<SignedHead>): TextStream {
  async function* lines(): AsyncGenerator<string> {
    for (const head of heads) yield `${JSON.stringify(head)}\n`;
  }
  return new TextStream({ media: MEDIA, name, lines: lines() });
}

/** The verifier for outsiders as a download. The rejection names the file if the panel was not built. */
export async function verifierIn(file: URL): Promise<Attachment | Rejection> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return reject('VERIFIER_MISSING', { file: file.pathname });
  return new Attachment({ media: 'text/javascript', name: 'verify-log.mjs', text });
}
