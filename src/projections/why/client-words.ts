import type { Client } from '../../events/client/client-document.js';

/** A client in the words of the panel API, as in `settings.clients`. Credentials that it does not have are left out. */
export function clientWords({ terms, identity, credential }: Client) {
  return {
    ...(credential.id === '' ? {} : { id: credential.id }),
    security: terms.security,
    ...(credential.password === '' ? {} : { password: credential.password }),
    flow: terms.flow,
    ...(terms.reverseTag === '' ? {} : { reverse: { tag: terms.reverseTag } }),
    ...(credential.auth === '' ? {} : { auth: credential.auth }),
    ...(terms.method === '' ? {} : { method: terms.method }),
    email: identity.email,
    limitIp: terms.limitIp,
    totalGB: terms.capBytes,
    expiryTime: terms.expiresAt,
    enable: terms.enabled,
    tgId: identity.tgId,
    subId: identity.subId,
    comment: identity.comment,
    reset: terms.resetDays,
  };
}
