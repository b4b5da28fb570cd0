import { CertificateExpiring, CertificateLoaded, CertificateRefused, type ServerName } from '../events/certificate.js';
import { flawKey, newsOf } from '../events/certificate-news.js';
import type { Command, Decider } from './command.js';

export type CertificateCommand =
  | Command<
      'RecordCertificateLoaded',
      {
        readonly server: ServerName;
        readonly fingerprint: string;
        readonly subject: string;
        /** Milliseconds since 1970. */
        readonly notAfter: number;
      }
    >
  | Command<
      'RecordCertificateRefused',
      { readonly server: ServerName; readonly certFile: string; readonly keyFile: string; readonly why: string }
    >
  | Command<'RecordCertificateExpiring', { readonly server: ServerName; readonly notAfter: number }>;

const DAY_MS = 86_400_000;

/** What is the same as before is not said again, over restarts too. */
export const certificate: Decider<CertificateCommand> = {
  RecordCertificateLoaded(data, { certificates }) {
    const { fingerprint, refused } = newsOf(certificates, data.server);
    return fingerprint === data.fingerprint && refused === null ? [] : [CertificateLoaded(data)];
  },

  RecordCertificateRefused(data, { certificates }) {
    return newsOf(certificates, data.server).refused === flawKey(data) ? [] : [CertificateRefused(data)];
  },

  RecordCertificateExpiring(data, { certificates }, { now }) {
    return now - newsOf(certificates, data.server).remindedAt < DAY_MS ? [] : [CertificateExpiring(data)];
  },
};
