import type { Text } from '../messages/message.js';
import type { RecordedEvent } from './catalog.js';
import type { ServerName } from './certificate.js';

/** The last recorded state of a server's certificate, so that nothing is recorded twice. */
interface CertificateStatus {
  readonly fingerprint: string;
  /** The last rejected files with their problem; null after a certificate was loaded. */
  readonly refused: string | null;
  readonly remindedAt: number;
}

export type CertificateStatuses = Readonly<Partial<Record<ServerName, CertificateStatus>>>;

const none: CertificateStatus = { fingerprint: '', refused: null, remindedAt: 0 };

export function statusOf(all: CertificateStatuses, name: ServerName): CertificateStatus {
  return all[name] ?? none;
}

/** The state after an event. */
export function evolveCertificates(all: CertificateStatuses, event: RecordedEvent): CertificateStatuses {
  switch (event.type) {
    case 'CertificateLoaded': {
      const { fingerprint } = event.data;
      return { ...all, [event.data.server]: { ...none, fingerprint } };
    }
    case 'CertificateRejected':
      return {
        ...all,
        [event.data.server]: { ...statusOf(all, event.data.server), refused: rejectionKey(event.data) },
      };
    case 'CertificateExpiring':
      return { ...all, [event.data.server]: { ...statusOf(all, event.data.server), remindedAt: event.meta.at } };
    default:
      return all;
  }
}

/** Identifies a problem of certain files, so that it is recorded once. */
export function rejectionKey({
  certFile,
  keyFile,
  reason,
}: {
  certFile: string;
  keyFile: string;
  reason: Text;
}): string {
  return JSON.stringify([certFile, keyFile, reason]);
}
