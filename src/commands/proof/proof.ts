import {
  HeadKeyCreated,
  HeadPublicationFailed,
  HeadReceived,
  HeadSigned,
  HeadsPublished,
} from '../../events/proof/proof.js';
import { conflictOf } from '../../events/proof/proof-document.js';
import { isSignedBy, type SignedHead } from '../../lib/proof/signed-head.js';
import type { Command, Decider } from '../command.js';
import { reject } from '../rejection.js';

export type ProofCommand =
  /** Does nothing when the panel has a key. */
  | Command<'CreateHeadKey', { readonly publicKey: string; readonly privateKey: string }>
  | Command<'RecordHead', { readonly head: SignedHead }>
  | Command<'RecordHeadsPublished', Parameters<typeof HeadsPublished>[0]>
  | Command<'RecordHeadPublicationFailed', Parameters<typeof HeadPublicationFailed>[0]>
  /** A head of another panel. */
  | Command<'ReceiveHead', { readonly head: SignedHead; readonly publicKey: string }>;

export const proof: Decider<ProofCommand> = {
  CreateHeadKey({ publicKey, privateKey }, { proofs }) {
    return proofs.key ? [] : [HeadKeyCreated({ keyVersion: 1, publicKey, secret: { privateKey } })];
  },

  RecordHead: ({ head }) => [HeadSigned({ head })],
  RecordHeadsPublished: (data) => [HeadsPublished(data)],
  RecordHeadPublicationFailed: (data) => [HeadPublicationFailed(data)],

  ReceiveHead({ head, publicKey }, { proofs }) {
    if (!isSignedBy(head, publicKey)) return reject('HEAD_INVALID');
    if (proofs.key?.publicKey === publicKey) return reject('HEAD_OWN');
    const known = proofs.others.get(head.panel);
    if (known && known.publicKey !== publicKey) return reject('HEAD_KEY_OTHER', { panel: head.panel });
    // The sender repeats a head when it did not get the answer.
    if (known?.last.signature === head.signature || known?.conflict?.head.signature === head.signature) return [];
    return [HeadReceived({ publicKey, head, conflict: conflictOf(head, known?.last) })];
  },
};
