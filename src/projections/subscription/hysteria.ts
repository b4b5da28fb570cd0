import type { Endpoint } from './endpoints.js';
import { type Fields, fieldsOf, textOf } from './fields.js';
import { tlsParams } from './security.js';
import type { LinkParams } from './share-link.js';
import { salamanderPassword } from './transport.js';

/**
 * Parameters of the official Hysteria 2 scheme, and `alpn` and `mport`, which apps read; values may be empty. Without `fp`,
 * which QUIC does not have. Port lists are in `mport`, because URL parsers reject them as a port.
 */
export function hysteria2Params(stream: Fields, { own, external }: Endpoint): LinkParams {
  const { sni = '', alpn = '', ech = '', pcs = '' } = tlsParams(fieldsOf(stream['tlsSettings']), own);
  const password = salamanderPassword(stream);
  return {
    alpn,
    ech,
    insecure: insecureOf(stream),
    // The ports of the inbound do not apply to an external proxy.
    mport: external ? '' : hopPorts(stream),
    obfs: password === '' ? '' : 'salamander',
    'obfs-password': password,
    pinSHA256: pcs.split(',')[0] ?? '',
    sni,
  };
}

function insecureOf(stream: Fields): string {
  return fieldsOf(fieldsOf(stream['tlsSettings'])['settings'])['allowInsecure'] === true ? '1' : '';
}

function hopPorts(stream: Fields): string {
  const ports = textOf(fieldsOf(fieldsOf(fieldsOf(stream['finalmask'])['quicParams'])['udpHop'])['ports']);
  return /^[\d,-]+$/.test(ports) ? ports : '';
}
