import { hash } from 'node:crypto';
import type { ClientIdentity } from '../../events/client/client.js';
import { type Fields, fieldsOf, firstTextOf, textOf, textsOf } from './fields.js';
import { knownFingerprint } from './fingerprints.js';
import type { LinkParams } from './share-link.js';

/**
 * Link parameters for TLS; values may be empty. The settings `own` of an external proxy have precedence. `type`: the transport.
 */
export function tlsParams(tls: Fields, own: Fields, type = ''): LinkParams {
  const client = fieldsOf(tls['settings']);
  const protocols = textsOf(own['alpn']);
  const pins = pinsOf(own['pinnedPeerCertSha256']);
  return {
    security: 'tls',
    sni: textOf(own['sni']) || textOf(tls['serverName']),
    alpn: (protocols.length > 0 ? protocols : textsOf(tls['alpn'])).filter((one) => speaks(type, one)).join(),
    fp: knownFingerprint(textOf(own['fingerprint'])) || knownFingerprint(textOf(client['fingerprint'])),
    ech: textOf(own['echConfigList']) || textOf(client['echConfigList']),
    pcs: (pins.length > 0 ? pins : pinsOf(client['pinnedPeerCertSha256'])).join(),
    vcn: textsOf(own['verifyPeerCertByName']).join() || textsOf(client['verifyPeerCertByName']).join(),
  };
}

/** WebSocket requires HTTP/1.1. A client that also offers HTTP/2 would negotiate that and fail to connect. */
function speaks(type: string, protocol: string): boolean {
  return type !== 'ws' || (protocol !== 'h2' && protocol !== 'h3');
}

/** SHA-256 pins in lower-case hex. Earlier cores used base64, which crashes apps. */
function pinsOf(value: unknown): readonly string[] {
  return textsOf(value)
    .map((pin) => (/^[\w+/-]{43}=$/.test(pin) ? Buffer.from(pin, 'base64').toString('hex') : pin))
    .map((pin) => pin.replaceAll(':', '').toLowerCase())
    .filter((pin) => /^[\da-f]{64}$/.test(pin));
}

/**
 * Link parameters for REALITY; values may be empty. Null without a public key. Always the first of several names and short
 * ids, because apps treat a link with others as another server.
 */
export function realityParams(
  reality: Fields,
  identity: ClientIdentity,
  publicKeyOf: (privateKey: string) => string,
): LinkParams | null {
  const client = fieldsOf(reality['settings']);
  const privateKey = textOf(reality['privateKey']);
  const pbk = textOf(client['publicKey']) || (privateKey === '' ? '' : publicKeyOf(privateKey));
  if (pbk === '') return null;
  return {
    security: 'reality',
    sni: firstTextOf(reality['serverNames']) || textOf(client['serverName']),
    pbk,
    sid: firstTextOf(reality['shortIds']),
    fp: knownFingerprint(textOf(client['fingerprint']), true) || 'chrome',
    spx: spiderPath(textOf(client['spiderX']) || '/', identity.subId || identity.email),
    pqv: textOf(client['mldsa65Verify']),
  };
}

/** A path that differs between clients and does not change between requests. */
function spiderPath(spiderX: string, who: string): string {
  return `/${hash('sha256', `${spiderX}|${who}`).slice(0, 15)}`;
}
