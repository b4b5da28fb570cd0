import type { SignedHead } from '../../lib/proof/signed-head.js';
import type { Text } from '../../messages/message.js';
import type { RecordedEvent } from '../catalog.js';
import type { Settings } from '../settings/settings.js';
import type { SinkName } from './proof.js';

/** A head of this panel: its position, and that of the event that contains it. */
interface HeadPlace {
  readonly position: number;
  readonly event: number;
}

/** What a place outside of the panel has accepted. */
interface SinkState {
  /** Position of the last head that it accepted; 0 = none. */
  readonly position: number;
  /** When, ms since 1970; 0 = never. */
  readonly at: number;
  /** Since when it fails, and why; null while it works. */
  readonly failing: { readonly since: number; readonly why: Text } | null;
}

/** The heads of another panel. */
interface OtherPanel {
  readonly publicKey: string;
  /** The head with the highest position. */
  readonly last: SignedHead;
  readonly count: number;
  /** The first head that contradicts an earlier one; null = there is none. */
  readonly conflict: { readonly at: number; readonly head: SignedHead; readonly other: number } | null;
}

/** The signed heads of this panel and of others. */
export interface Proofs {
  key: { readonly publicKey: string; readonly privateKey: string } | null;
  last: SignedHead | null;
  /** In the order of their positions. */
  readonly heads: HeadPlace[];
  readonly sinks: Map<SinkName, SinkState>;
  /** By the id of the panel. */
  readonly others: Map<string, OtherPanel>;
}

export const noProofs = (): Proofs => ({ key: null, last: null, heads: [], sinks: new Map(), others: new Map() });

const unused: SinkState = { position: 0, at: 0, failing: null };

/** Whether a head contradicts the last one of the same panel. */
export function conflictOf(head: SignedHead, last: SignedHead | undefined): 'none' | 'changed' | 'back' {
  if (last === undefined || head.position > last.position) return 'none';
  if (head.position < last.position) return 'back';
  return head.hash === last.hash && head.root === last.root ? 'none' : 'changed';
}

/** The setting with the target of each place. */
const TARGETS: Readonly<Record<SinkName, keyof Settings>> = {
  ...{ webhook: 'proofWebhook', chat: 'proofChat', file: 'proofFile', git: 'proofGit', panel: 'proofPanel' },
};

/** What a place has accepted says nothing about another target. */
function forgetTargets({ sinks }: Proofs, changes: Partial<Settings>): void {
  for (const sink of [...sinks.keys()]) if (TARGETS[sink] in changes) sinks.delete(sink);
}

export function evolveProofs(proofs: Proofs, event: RecordedEvent): void {
  const { at } = event.meta;
  switch (event.type) {
    case 'HeadKeyCreated':
      proofs.key = { publicKey: event.data.publicKey, privateKey: event.data.secret.privateKey };
      break;
    case 'HeadSigned':
      proofs.last = event.data.head;
      proofs.heads.push({ position: event.data.head.position, event: event.position });
      break;
    case 'HeadsPublished':
      for (const { sink, position } of event.data.sinks) proofs.sinks.set(sink, { position, at, failing: null });
      break;
    case 'HeadPublicationFailed': {
      const { sink, reason } = event.data;
      proofs.sinks.set(sink, { ...(proofs.sinks.get(sink) ?? unused), failing: { since: at, why: reason } });
      break;
    }
    case 'SettingsChanged':
      forgetTargets(proofs, event.data.changes);
      break;
    case 'HeadReceived': {
      const { head, publicKey, conflict } = event.data;
      const before = proofs.others.get(head.panel);
      const found = conflict === 'none' ? null : { at, head, other: before?.last.position ?? 0 };
      proofs.others.set(head.panel, {
        publicKey,
        last: before && before.last.position > head.position ? before.last : head,
        count: (before?.count ?? 0) + 1,
        conflict: before?.conflict ?? found,
      });
      break;
    }
    default:
  }
}
