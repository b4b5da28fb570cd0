import { accessSync, constants, readFileSync } from 'node:fs';
import { credsAuthenticator, type NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { ClusterAway } from '../../commands/ports/cluster.js';
import { fileProblem } from '../../lib/errors/failure-text.js';
import { MessageError, textOf } from '../../messages/error.js';
import { message as text } from '../../messages/message.js';

/** How to reach the NATS servers. */
export interface NatsOptions {
  /** `nats://host:port` or `tls://…`, several separated by commas; user and password may be in the URL. */
  readonly url: string;
  /** The member, as the servers list it. */
  readonly name: string;
  /** A credentials file of NATS (JWT and seed). */
  readonly credentials?: string | undefined;
  /** PEM files: the certificate authority of the servers, and the certificate and key of this member. */
  readonly ca?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** How long the first connection and each request may take, in ms. */
export const REQUEST_MS = 2000;
/** Interval of signs of life, and how many may be missed, so that a cut network is noticed after three seconds. */
const PING_MS = 1000;
const PINGS = 2;
const RECONNECT_MS = 250;

/** The servers answer, but do not accept this member. Repeating does not help. */
export class NatsRefused extends Error {
  override readonly name = 'NatsRefused';
}

/** Errors of the login, of a certificate, or of TLS on one side only. */
const REFUSALS = /authori[sz]ation|authentication|certificate|credentials|self.signed|altname|support 'tls'|\bPEM\b/i;

/**
 * Connects, and reconnects until it is closed. Rejects with `ClusterAway` when no server answers in time, with `NatsRefused`
 * when they do not accept this member, and with `MessageError` for a file that cannot be read.
 */
export async function connectNats({ url, name, ...files }: NatsOptions): Promise<NatsConnection> {
  const servers = url.split(',').map((part) => part.trim());
  const login = loginIn(servers[0] ?? '');
  const { credentials, ca, certificate, key } = files;
  assertReadable({ CREDENTIALS: credentials, CA: ca, CERT: certificate, KEY: key });
  const tls = {
    ...(ca === undefined ? {} : { caFile: ca }),
    ...(certificate === undefined ? {} : { certFile: certificate }),
    ...(key === undefined ? {} : { keyFile: key }),
  };
  try {
    return await connect({
      servers: servers.map(withoutLogin),
      ...login,
      name: `portolan ${name}`,
      ...(credentials === undefined ? {} : { authenticator: credsAuthenticator(readFileSync(credentials)) }),
      ...(Object.keys(tls).length > 0 || servers.some((server) => server.startsWith('tls:')) ? { tls } : {}),
      timeout: REQUEST_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      pingInterval: PING_MS,
      maxPingOut: PINGS,
      ignoreAuthErrorAbort: true,
    });
  } catch (cause) {
    const { name: kind, message } = cause as Error;
    if (REFUSALS.test(`${kind} ${message}`)) throw new NatsRefused(message, { cause });
    throw new ClusterAway(message, { cause });
  }
}

/** The client reports a missing file like servers that are away. */
function assertReadable(files: Readonly<Record<string, string | undefined>>): void {
  for (const [name, file] of Object.entries(files)) {
    if (file === undefined) continue;
    try {
      accessSync(file, constants.R_OK);
    } catch (cause) {
      const why = fileProblem(cause, file) ?? textOf(cause);
      throw new MessageError(text('start.fileInvalid', { variable: `PORTOLAN_CLUSTER_${name}`, why }), { cause });
    }
  }
}

/** Closes a connection that may be lost already. */
export async function closeNats(connection: NatsConnection): Promise<void> {
  await connection.close().catch(() => undefined);
}

function loginIn(server: string): { user?: string; pass?: string; token?: string } {
  const { username, password } = new URL(server);
  if (username === '') return {};
  const user = decodeURIComponent(username);
  return password === '' ? { token: user } : { user, pass: decodeURIComponent(password) };
}

function withoutLogin(server: string): string {
  const { protocol, host } = new URL(server);
  return `${protocol}//${host}`;
}
