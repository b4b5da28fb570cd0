import type { RecordedEvent } from './catalog.js';
import type { ServerName } from './certificate.js';

/** What was last said about the certificate of a server, so that it is said once. */
export interface CertificateStatus {
  readonly fingerprint: string;
  /** Files and problem, or null when the last word was a good one. */
  readonly refused: string | null;
  readonly remindedAt: number;
}

export type CertificateStatuses = Readonly<Partial<Record<ServerName, CertificateStatus>>>;

const none: CertificateStatus = { fingerprint: '', refused: null, remindedAt: 0 };

export function newsOf(all: CertificateStatuses, name: ServerName): CertificateStatus {
  return all[name] ?? none;
}

/** The news after an event. */
export function evolveCertificates(all: CertificateStatuses, event: RecordedEvent): CertificateStatuses {
  switch (event.type) {
    case 'CertificateLoaded': {
      const { fingerprint } = event.data;
      return { ...all, [event.data.server]: { ...none, fingerprint } };
    }
    case 'CertificateRejected':
      return { ...all, [event.data.server]: { ...newsOf(all, event.data.server), refused: problemKey(event.data) } };
    case 'CertificateExpiring':
      return { ...all, [event.data.server]: { ...newsOf(all, event.data.server), remindedAt: event.meta.at } };
    default:
      return all;
  }
}

/** The same problem of the same files is no news. */
export function problemKey({
  certFile,
  keyFile,
  reason,
}: {
  certFile: string;
  keyFile: string;
  reason: string;
}): string {
  return JSON.stringify([certFile, keyFile, reason]);
}
