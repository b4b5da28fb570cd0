import { asSystem, type Dispatch } from '../../commands/bus.js';
import type { AnyCommand } from '../../commands/catalog.js';
import type { CertificateEvents, CertificateFiles, ServerCertificate } from '../../commands/ports/certificates.js';
import { Rejection } from '../../commands/rejection.js';
import { type ServerName, serverNames } from '../../events/certificate.js';
import { render } from '../../messages/render.js';

/** The part of the panel's log that the servers write to. */
export interface ServersLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface Parts {
  readonly dispatch: Dispatch;
  readonly log: ServersLog;
  /** The configured files. */
  readonly files: () => CertificateFiles | null;
  /** Called when the server should use this certificate. */
  readonly loaded: (pair: ServerCertificate) => void;
}

/** Records the reports of a certificate keeper as events, and writes to the panel's log what could not be recorded. */
export function certificateRecorder(name: ServerName, { dispatch, log, files, loaded }: Parts): CertificateEvents {
  const server = serverNames[name];
  /** Whether an event was appended; the panel's log repeats events. */
  const recorded = (command: AnyCommand): boolean => {
    const done = dispatch(command, asSystem('servers'));
    return !(done instanceof Rejection) && done.events.length > 0;
  };
  return {
    loaded: (pair) => {
      log.info({ server, subject: pair.subject }, 'a new certificate is in use');
      recordLoaded(dispatch, name, pair);
      loaded(pair);
    },
    refused: (reason) => {
      const { certFile = '', keyFile = '' } = files() ?? {};
      const data = { server: name, certFile, keyFile, reason };
      if (!recorded({ type: 'RecordCertificateRejected', data }))
        log.warn({ server, certFile, keyFile, reason: render(reason, 'en') }, 'a certificate cannot be used');
    },
    expiring: ({ notAfter }) => {
      const data = { server: name, expiresAt: notAfter };
      if (!recorded({ type: 'RecordCertificateExpiring', data }))
        log.warn({ server, until: new Date(notAfter).toISOString() }, 'a certificate expires soon');
    },
  };
}

/** Records which certificate a server uses. Appends nothing when that is already known. */
export function recordLoaded(
  dispatch: Dispatch,
  server: ServerName,
  { fingerprint, subject, notAfter }: ServerCertificate,
): void {
  const data = { server, fingerprint, subject, expiresAt: notAfter };
  dispatch({ type: 'RecordCertificateLoaded', data }, asSystem('servers'));
}
