import type { OwnPort } from '../../../commands/command.js';
import { overlap } from '../../../commands/inbound/inbound-rules.js';
import type { CertificateFiles, CertificateKeeper, CertificateStatus } from '../../../commands/ports/certificates.js';
import type { PortProblem } from '../../../commands/ports/host.js';
import { reject } from '../../../commands/rejection.js';
import type { ServerName } from '../../../events/certificate.js';
import type { Settings } from '../../../events/settings/settings.js';
import { MessageError, textOf } from '../../../messages/error.js';
import { message, type Text } from '../../../messages/message.js';

/** Values from flags and the environment. They take precedence over the settings in the log. */
export interface ListenOverrides {
  readonly HOST?: string | undefined;
  readonly PORT?: number | undefined;
  readonly SUB_HOST?: string | undefined;
  readonly SUB_PORT?: number | undefined;
  readonly BASE_PATH?: string | undefined;
}

/** The address and the certificate that a server is configured with. */
export interface ListenConfig {
  readonly name: ServerName;
  readonly listen: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Null = no TLS. */
  readonly files: CertificateFiles | null;
  readonly certificate: CertificateStatus;
}

/** The only host name that each server accepts; empty = any. */
export type Domains = Readonly<Record<ServerName, string>>;

export const configuredDomains = ({ webDomain, subDomain }: Settings): Domains => ({
  panel: webDomain,
  subscription: subDomain,
});

/** A server cannot listen as configured. `cause` is the error of the system, if there is one. */
export class ListenError extends MessageError {
  override readonly name = 'ListenError';
  readonly server: ServerName;

  constructor(server: ServerName, why: Text, cause?: unknown) {
    super(why, { cause });
    this.server = server;
  }
}

/** The configuration of a server. Reads its certificate and changes nothing. */
export async function listenConfig(
  name: ServerName,
  overrides: ListenOverrides,
  settings: Settings,
  keeper: Pick<CertificateKeeper, 'look'>,
): Promise<ListenConfig> {
  const [listen, port, certFile, keyFile] =
    name === 'panel'
      ? [
          overrides.HOST ?? settings.webListen,
          overrides.PORT ?? settings.webPort,
          settings.webCertFile,
          settings.webKeyFile,
        ]
      : [
          overrides.SUB_HOST ?? settings.subListen,
          overrides.SUB_PORT ?? settings.subPort,
          settings.subCertFile,
          settings.subKeyFile,
        ];
  const files = certFile === '' && keyFile === '' ? null : { certFile, keyFile };
  const certificate = files ? await keeper.look(files) : { pair: null, problem: null };
  return { name, listen, port, files, certificate };
}

/** TLS is configured and there is no usable certificate. Such a server must never serve plain HTTP to the network. */
export function lacksCertificate({ files, certificate }: ListenConfig): boolean {
  return files !== null && certificate.pair === null;
}

export function sameAddress(one: ListenConfig, other: ListenConfig | undefined): boolean {
  return one.listen === other?.listen && one.port === other.port;
}

type PortCheck = (listen: string, port: number) => Promise<PortProblem | null>;

/**
 * Why the panel or the subscription server cannot listen at an address; null when it can. A port that one of the two
 * holds now counts as free, because a restart may release it: then only the address is checked.
 */
export function serverPortProblem(
  own: readonly OwnPort[],
  check: PortCheck,
  listen: string,
  port: number,
): Promise<PortProblem | null> {
  const ownPort = own.some((one) => one.server !== 'ops' && one.port === port && overlap(one.listen, listen));
  return check(listen, ownPort ? 0 : port);
}

/** A port problem as the text of a rejection. */
export function portProblemText(problem: PortProblem, listen: string, port: number): Text {
  switch (problem) {
    case 'taken':
      return reject('PORT_TAKEN', { port, by: message('inbound.otherProgram') }).text;
    case 'forbidden':
      return reject('PORT_FORBIDDEN', { port }).text;
    case 'no such address':
      return reject('LISTEN_UNKNOWN', { listen }).text;
  }
}

/** The text for the error of a failed bind. */
export function bindErrorText(error: unknown, listen: string, port: number): Text {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return portProblemText('taken', listen, port);
  if (code === 'EACCES') return portProblemText('forbidden', listen, port);
  return code === 'EADDRNOTAVAIL' ? portProblemText('no such address', listen, port) : textOf(error);
}
