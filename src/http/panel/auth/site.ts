import { isIP } from 'node:net';
import type { Site } from '../../../commands/ports/passkeys.js';
import { type Rejection, reject } from '../../../commands/rejection.js';
import { message } from '../../../messages/message.js';
import type { Peer } from './peer.js';

/** The site of a request for passkeys. Browsers accept them only with HTTPS and a host name, and at localhost. */
export function siteOf({ host, hostname, secure }: Peer): Site | Rejection {
  const origin = `${secure ? 'https' : 'http'}://${host}`;
  const isUsable = hostname !== '' && isIP(hostname) === 0 && (secure || hostname === 'localhost');
  return isUsable
    ? { host: hostname, origin }
    : reject('PASSKEY_INVALID', { why: message('account.passkeyNeedsName', { origin }) });
}
