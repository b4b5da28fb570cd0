import { base64Length, type ClientDraft } from '../../../commands/client/credentials.js';
import type { ClientCredential } from '../../../events/client/client.js';
import type { Client } from '../../../events/client/client-document.js';
import type { Inbound } from '../../../events/inbound/inbound-document.js';
import { textOf } from '../../../lib/json.js';
import { freshCredential } from './fresh.js';
import { supportsVision } from './inbound.js';

/** A client as it will be on another inbound. It keeps every credential that the protocol there takes. */
export function movedDraft({ spec, identity, credential }: Client, target: Inbound): ClientDraft {
  const flow = supportsVision(target) ? spec.flow : '';
  return {
    // The cipher belongs to the former inbound; empty = that of the new one.
    spec: { ...spec, flow, method: '' },
    identity,
    credential: fits(credential, target) ? credential : withNew(credential, target),
  };
}

function fits({ id, password, auth }: ClientCredential, { protocol, config }: Inbound): boolean {
  const method = textOf(config.settings['method']);
  switch (protocol) {
    case 'trojan':
      return password !== '';
    case 'shadowsocks':
      if (!method.startsWith('2022-')) return password !== '';
      return base64Length(password) === (method.includes('aes-128') ? 16 : 32);
    case 'hysteria':
    case 'hysteria2':
      return auth !== '';
    default:
      return id !== '';
  }
}

/** The former credentials stay beside the new one, for a move back. */
function withNew(credential: ClientCredential, { protocol, config }: Inbound): ClientCredential {
  const fresh = Object.entries(freshCredential(protocol, config.settings)).filter(([, value]) => value !== '');
  return { ...credential, ...Object.fromEntries(fresh) };
}
