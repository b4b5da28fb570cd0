import { z } from 'zod';
import { FORMAT } from '../../lib/proof/signed-head.js';
import { KeyVersion, oneOf, Position, Time } from '../fields.js';
import { defineEvent } from '../log/event.js';
import { textSchema } from '../text.js';

const stream = (): string => 'proof';
const hex = (description: string) => z.string().meta({ unit: 'hex', description });

const SINKS = {
  webhook: 'the address in `proofWebhook`',
  chat: 'the chats of the bot',
  file: 'the file in `proofFile`',
  git: 'the git repository in `proofGit`',
  panel: 'the panel in `proofPanel`',
} as const;
const Sink = oneOf(SINKS).describe('Where heads are published.');
export type SinkName = z.output<typeof Sink>;
export const sinkNames = Object.keys(SINKS) as readonly SinkName[];

/** A head as it is published; see `SignedHead`. */
const Head = z
  .strictObject({
    format: z.literal(FORMAT).describe('Version of the signed text.'),
    panel: z.string().describe('Id of the panel: the id of the first event of its log.'),
    position: Position.min(1).describe('Position of the last event before the head.'),
    hash: hex('Chain hash of that event.'),
    root: hex('Root of the Merkle tree over the chain hashes of all events up to the position (RFC 6962).'),
    at: Time.describe('When it was signed, by the clock of the panel.'),
    key: hex('First digits of the SHA-256 of the public key.'),
    signature: z.string().describe('Ed25519 signature, in base64.'),
  })
  .describe('The signed head.');

export const HeadKeyCreated = defineEvent('HeadKeyCreated', {
  summary: 'The panel created the key that signs its heads.',
  recordedBy: { CreateHeadKey: 'the first head is to be signed' },
  data: z.strictObject({
    keyVersion: KeyVersion,
    publicKey: z.string().describe('The 32 bytes of the Ed25519 public key, in base64.'),
    secret: z.strictObject({ privateKey: z.string().describe('PKCS #8 DER, in base64.') }).describe('The private key.'),
  }),
  stream,
  seal: { secret: { key: ({ keyVersion }) => `proof/key/${keyVersion}`, erased: () => ({ privateKey: '' }) } },
});

export const HeadSigned = defineEvent('HeadSigned', {
  summary: 'The panel signed the head of its log, for publication.',
  recordedBy: { RecordHead: 'an hour has passed since the last head, or an admin asks for one' },
  data: z.strictObject({ head: Head }),
  stream,
});

export const HeadsPublished = defineEvent('HeadsPublished', {
  summary: 'Signed heads were published outside of the panel.',
  recordedBy: { RecordHeadsPublished: 'at least one place has accepted the heads that it lacked' },
  data: z.strictObject({
    sinks: z
      .array(z.strictObject({ sink: Sink, position: Position.describe('Position of the last published head.') }))
      .describe('The places that accepted them.'),
  }),
  stream,
});

export const HeadPublicationFailed = defineEvent('HeadPublicationFailed', {
  summary: 'A place did not accept a signed head. The panel tries again.',
  recordedBy: { RecordHeadPublicationFailed: 'the first attempt fails; once until the place accepts heads again' },
  data: z.strictObject({
    sink: Sink,
    position: Position.describe('Position of the head.'),
    reason: textSchema.describe('Why it failed.'),
  }),
  stream,
});

export const HeadReceived = defineEvent('HeadReceived', {
  summary: 'Another panel published a signed head to this panel. Its signature was verified.',
  recordedBy: { ReceiveHead: 'another panel sends a head with a valid signature' },
  data: z.strictObject({
    publicKey: z.string().describe('Public key of the other panel, in base64: the one of its first head.'),
    head: Head,
    conflict: oneOf({
      none: 'it continues the heads before',
      changed: 'it differs from another head of the same position',
      back: 'its position is lower than that of an earlier head',
    }).describe('Whether the other panel contradicts itself.'),
  }),
  stream: () => 'received-heads',
});

export const proofEvents = [HeadKeyCreated, HeadSigned, HeadsPublished, HeadPublicationFailed, HeadReceived] as const;
