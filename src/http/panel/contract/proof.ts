import { z } from 'zod';
import { get, post, routes } from './route.js';
import { body, Id, optionalFlag, requiredText, whole } from './schemas/fields.js';
import { TextCode } from './schemas/text-code.js';

/** Places where heads can be published. */
export const HEAD_SINKS = ['webhook', 'chat', 'file', 'git', 'panel'] as const;
/** The most heads in one answer. */
export const MAX_HEADS = 1000;

const SignedHead = z
  .object({
    format: z.string(),
    /** Id of the panel. */
    panel: z.string(),
    /** Position of the last event; also the size of the Merkle tree. */
    position: z.int(),
    /** Chain hash of that event, hex. */
    hash: z.string(),
    /** Root of the Merkle tree over the chain hashes, hex. */
    root: z.string(),
    /** When it was signed; ms since 1970, by the clock of the panel. */
    at: z.int(),
    /** The first 16 hexadecimal digits of the SHA-256 of the public key. */
    key: z.string(),
    /** Ed25519, base64. */
    signature: z.string(),
  })
  .meta({ id: 'SignedHead' });

const HeadSink = z
  .object({
    sink: z.enum(HEAD_SINKS),
    /** URL, file or folder; empty for the chat bot. */
    target: z.string(),
    /** Position of the last head that it accepted; 0 = none. */
    position: z.int(),
    /** When it accepted that head; ms, 0 = never. */
    at: z.int(),
    /** Signed heads that it lacks. */
    waiting: z.int(),
    /** Since when it fails, ms; 0 = it works. */
    failingSince: z.int(),
    /** Failed attempts since the start of the panel, and when the next one is due, ms. */
    attempts: z.int(),
    nextAttemptAt: z.int(),
    problem: z.string(),
    problemCode: TextCode,
  })
  .meta({ id: 'HeadSink' });

const OtherPanel = z.object({
  panel: z.string(),
  /** Base64. */
  publicKey: z.string(),
  last: SignedHead,
  heads: z.int(),
  /** The first head that contradicts an earlier one; null = there is none. */
  conflict: z
    .object({
      at: z.int(),
      head: SignedHead,
      /** Position of the head that it contradicts. */
      other: z.int(),
    })
    .nullable(),
});

const path = z.array(z.string());

/** Signed heads of the log, and proofs for outsiders. */
/** A head and its key have about 600 bytes. */
const HEAD_BODY_BYTES = 4096;

export const proofRoutes = routes('/panel/api/proof', {
  status: get('/status', {
    leader: true,
    permission: { resource: 'proof', action: 'read' },
    summary:
      'Get the public key of the panel, its last signed head, where heads are published, and the heads of others',
    reply: z
      .object({
        panel: z.string(),
        /** Null until the first head is signed. */
        key: z
          .object({
            id: z.string(),
            /** Its 32 bytes in base64. */
            publicKey: z.string(),
            pem: z.string(),
          })
          .nullable(),
        last: SignedHead.nullable(),
        /** How many heads were signed. */
        heads: z.int(),
        sinks: z.array(HeadSink),
        others: z.array(OtherPanel),
      })
      .meta({ id: 'ProofStatus' }),
  }),
  heads: get('/heads', {
    permission: { resource: 'proof', action: 'read' },
    summary: 'List the signed heads after a position, oldest first, or the newest ones, at most 1,000',
    query: z.object({
      after: whole({ min: 0 }),
      /** 0 = 1,000 */
      limit: whole({ min: 0, max: MAX_HEADS }),
      /** The newest heads, newest first. */
      newest: optionalFlag,
    }),
    reply: z.array(SignedHead),
  }),
  headsFile: get('/heads.jsonl', {
    permission: { resource: 'proof', action: 'read' },
    summary: 'Download all signed heads as JSON lines, as the verifier reads them',
    reply: z.string(),
    media: 'application/x-ndjson',
  }),
  eventsFile: get('/events.jsonl', {
    permission: { resource: 'proof', action: 'read' },
    summary: 'Download the whole log as the verifier reads it; credentials and personal data stay encrypted',
    reply: z.string(),
    media: 'application/x-ndjson',
  }),
  verifier: get('/verify-log.mjs', {
    permission: { resource: 'proof', action: 'read' },
    summary: 'Download the verifier, one file that needs only Node',
    reply: z.string(),
    media: 'text/javascript',
  }),
  publish: post('/publish', {
    permission: { resource: 'proof', action: 'run' },
    summary: 'Sign the head of the log now, and publish it',
    reply: z.object({ head: SignedHead, sinks: z.array(HeadSink) }).meta({ id: 'PublishedHead' }),
  }),
  inclusion: get('/inclusion/:position', {
    permission: { resource: 'proof', action: 'read' },
    summary: 'Prove that an event is in the log, without the other events',
    params: z.object({ position: Id }),
    query: z.object({
      /** Number of events in the tree; 0 = up to the last signed head. */
      size: whole({ min: 0 }),
    }),
    reply: z
      .object({
        kind: z.literal('inclusion'),
        position: z.int(),
        /** Chain hash of the event before, hex. */
        previous: z.string(),
        /** The event as a line of an export; sealed fields stay encrypted. */
        event: z.string(),
        size: z.int(),
        root: z.string(),
        /** Hashes from the leaf to the root (RFC 6962), hex. */
        path,
        head: SignedHead.nullable(),
      })
      .meta({ id: 'InclusionProof' }),
  }),
  consistency: get('/consistency', {
    permission: { resource: 'proof', action: 'read' },
    summary: 'Prove that a longer log begins with the same events as a shorter one',
    query: z.object({
      from: whole({ min: 1 }),
      /** 0 = up to the last signed head. */
      to: whole({ min: 0 }),
    }),
    reply: z
      .object({
        kind: z.literal('consistency'),
        from: z.int(),
        to: z.int(),
        fromRoot: z.string(),
        toRoot: z.string(),
        path,
        fromHead: SignedHead.nullable(),
        toHead: SignedHead.nullable(),
      })
      .meta({ id: 'ConsistencyProof' }),
  }),
  receive: post('/received', {
    permission: { resource: 'proof', action: 'create' },
    summary:
      'Store a signed head of another panel. A caller can send 200 at once, and then one every two minutes; repeated heads do not count',
    limit: HEAD_BODY_BYTES,
    body: body({
      format: requiredText,
      ...{ panel: requiredText, position: whole({ min: 1 }), hash: requiredText, root: requiredText },
      ...{ at: whole({ min: 0 }), key: requiredText, signature: requiredText },
      /** Of the other panel: its 32 bytes in base64. */
      publicKey: requiredText,
    }),
  }),
  receivedFile: get('/received/:panel', {
    permission: { resource: 'proof', action: 'read' },
    summary: 'Download the heads that another panel has published to this one, as JSON lines',
    params: z.object({ panel: z.string() }),
    reply: z.string(),
    media: 'application/x-ndjson',
  }),
});
