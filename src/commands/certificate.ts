import { CertificateExpiring, CertificateLoaded, CertificateRejected, type ServerName } from '../events/certificate.js';
import { rejectionKey, statusOf } from '../events/certificate-status.js';
import type { Text } from '../messages/message.js';
import type { Command, Decider } from './command.js';

export type CertificateCommand =
  | Command<
      'RecordCertificateLoaded',
      {
        readonly server: ServerName;
        readonly fingerprint: string;
        readonly subject: string;
        /** Milliseconds since 1970. */
        readonly expiresAt: number;
      }
    >
  | Command<
      'RecordCertificateRejected',
      { readonly server: ServerName; readonly certFile: string; readonly keyFile: string; readonly reason: Text }
    >
  | Command<'RecordCertificateExpiring', { readonly server: ServerName; readonly expiresAt: number }>;

const DAY_MS = 86_400_000;

/** Records only changes, also over restarts. */
export const certificate: Decider<CertificateCommand> = {
  RecordCertificateLoaded(data, { certificates }) {
    const { fingerprint, refused } = statusOf(certificates, data.server);
    return fingerprint === data.fingerprint && refused === null ? [] : [CertificateLoaded(data)];
  },

  RecordCertificateRejected(data, { certificates }) {
    return statusOf(certificates, data.server).refused === rejectionKey(data) ? [] : [CertificateRejected(data)];
  },

  RecordCertificateExpiring(data, { certificates }, { now }) {
    return now - statusOf(certificates, data.server).remindedAt < DAY_MS ? [] : [CertificateExpiring(data)];
  },
};
