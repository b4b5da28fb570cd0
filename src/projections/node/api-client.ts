import type { Client } from '../../events/client/client-document.js';

/** A client as the panel API has it in `settings.clients`. Credentials that it does not have are left out. */
export function apiClient({ spec, identity, credential }: Client) {
  return {
    ...(credential.id === '' ? {} : { id: credential.id }),
    security: spec.security,
    ...(credential.password === '' ? {} : { password: credential.password }),
    flow: spec.flow,
    ...(spec.reverseTag === '' ? {} : { reverse: { tag: spec.reverseTag } }),
    ...(credential.auth === '' ? {} : { auth: credential.auth }),
    ...(spec.method === '' ? {} : { method: spec.method }),
    email: identity.email,
    limitIp: spec.limitIp,
    totalGB: spec.capBytes,
    expiryTime: spec.expiresAt,
    enable: spec.enabled,
    tgId: identity.tgId,
    subId: identity.subId,
    comment: identity.comment,
    reset: spec.renewalDays,
  };
}
