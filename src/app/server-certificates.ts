import { join } from 'node:path';
import { CertificateKeeper, type PairFiles } from '../adapters/tls/keeper.js';
import type { Pair } from '../adapters/tls/pair.js';
import { asSystem } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import { Rejection } from '../commands/rejection.js';
import { type ServerName, serverNames } from '../events/certificate.js';
import { type Panel } from './panel.js';

/** The part of a logger that the servers need. */
export interface ServersLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface Parts {
  readonly panel: Panel;
  readonly log: ServersLog;
  /** The files that count now. */
  readonly files: () => PairFiles | null;
  /** The server shall serve with it. */
  readonly loaded: (pair: Pair) => void;
}

/** The keeper of a server's certificate, whose news go to the log of the panel and to its events. */
export function keeperFor(name: ServerName, { panel, log, files, loaded }: Parts): CertificateKeeper {
  const server = serverNames[name];
  /** Whether there is an event of it now, which the log of the panel repeats. */
  const told = (command: AnyCommand): boolean => {
    const done = panel.dispatch(command, asSystem('servers'));
    return !(done instanceof Rejection) && done.events.length > 0;
  };
  return new CertificateKeeper({
    copy: join(panel.directory.certs, `${name}.pem`),
    now: panel.now,
    loaded: (pair) => {
      log.info({ server, subject: pair.subject }, 'a new certificate is in use');
      recordPair(panel, name, pair);
      loaded(pair);
    },
    refused: (why) => {
      const { certFile = '', keyFile = '' } = files() ?? {};
      const data = { server: name, certFile, keyFile, why };
      if (!told({ type: 'RecordCertificateRefused', data }))
        log.warn({ server, certFile, keyFile, why }, 'a certificate cannot be used');
    },
    expiring: ({ notAfter }) => {
      const data = { server: name, notAfter };
      if (!told({ type: 'RecordCertificateExpiring', data }))
        log.warn({ server, until: new Date(notAfter).toISOString() }, 'a certificate ends soon');
    },
    warn: (message, fields) => log.warn(fields, message),
  });
}

/** Says which certificate is served, where that is news. */
export function recordPair({ dispatch }: Panel, server: ServerName, { fingerprint, subject, notAfter }: Pair): void {
  const data = { server, fingerprint, subject, notAfter };
  dispatch({ type: 'RecordCertificateLoaded', data }, asSystem('servers'));
}
