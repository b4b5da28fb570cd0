import { z } from 'zod';
import { defineEvent } from './log/event.js';

const server = z.enum(['panel', 'subscription']);
/** Which of the two servers that browsers and client apps reach. */
export type ServerName = z.output<typeof server>;
/** For people. */
export const serverNames: Readonly<Record<ServerName, string>> = {
  panel: 'the panel',
  subscription: 'the subscription server',
};

const stream = () => 'certificates';

export const CertificateLoaded = defineEvent('CertificateLoaded', {
  summary: 'A server loaded a new certificate, or a certificate whose files were invalid before.',
  data: z.strictObject({
    server,
    /** SHA-256 of the leaf, in hex. */
    fingerprint: z.string(),
    subject: z.string(),
    expiresAt: z.int(),
  }),
  stream,
});

export const CertificateRejected = defineEvent('CertificateRejected', {
  summary: 'A server rejected the files of a certificate and keeps its former certificate.',
  data: z.strictObject({ server, certFile: z.string(), keyFile: z.string(), reason: z.string() }),
  stream,
});

export const CertificateExpiring = defineEvent('CertificateExpiring', {
  summary: 'The certificate of a server expires in less than two weeks.',
  data: z.strictObject({ server, expiresAt: z.int() }),
  stream,
});

export const certificateEvents = [CertificateLoaded, CertificateRejected, CertificateExpiring] as const;
