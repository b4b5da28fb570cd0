import { z } from 'zod';
import { defineEvent } from './log/event.js';
import { textSchema } from './text.js';

const server = z.enum(['panel', 'subscription']).describe('The server that uses the certificate.');
/** One of the two public servers. */
export type ServerName = z.output<typeof server>;
/** For people. */
export const serverNames: Readonly<Record<ServerName, string>> = {
  panel: 'the panel',
  subscription: 'the subscription server',
};

const stream = () => 'certificates';
const expiresAt = z.int().meta({ unit: 'ms since 1970 UTC', description: 'When the certificate expires.' });

export const CertificateLoaded = defineEvent('CertificateLoaded', {
  summary: 'A server loaded a new certificate, or a certificate whose files were invalid before.',
  recordedBy: {
    RecordCertificateLoaded:
      'a server starts with a certificate or reads changed files; not if the fingerprint is the recorded one',
  },
  data: z.strictObject({
    server,
    fingerprint: z.string().meta({ unit: 'hex', description: 'SHA-256 of the leaf certificate.' }),
    subject: z.string().describe('DNS names and addresses of the leaf certificate, or its subject.'),
    expiresAt,
  }),
  stream,
});

export const CertificateRejected = defineEvent('CertificateRejected', {
  summary: 'A server rejected the files of a certificate and keeps its previous certificate.',
  recordedBy: {
    RecordCertificateRejected: 'changed files are missing, unreadable or invalid; once for the same files and reason',
  },
  data: z.strictObject({
    server,
    certFile: z.string().describe('Path of the certificate file.'),
    keyFile: z.string().describe('Path of the private key file.'),
    reason: textSchema.describe('Why the files were rejected.'),
  }),
  stream,
});

export const CertificateExpiring = defineEvent('CertificateExpiring', {
  summary: 'The certificate of a server expires in less than two weeks.',
  recordedBy: { RecordCertificateExpiring: 'the panel checks the certificate; at most once a day for each server' },
  data: z.strictObject({ server, expiresAt }),
  stream,
});

export const certificateEvents = [CertificateLoaded, CertificateRejected, CertificateExpiring] as const;
