import type { ClientDraft } from '../../../commands/client/credentials.js';
import { type Client, emailKey } from '../../../events/client/client-document.js';
import type { Inbound } from '../../../events/inbound/inbound-document.js';
import { freshCredential, freshSubId } from './fresh.js';

interface CopyRequest {
  readonly sources: readonly Client[];
  readonly target: Inbound;
  /** Overrides the flow of the copies; empty keeps the source's. */
  readonly flow: string;
  readonly isTaken: (email: string) => boolean;
}

/** Copies of clients for another inbound, with the same limits and subscription, and new emails and credentials. */
export function copiesOf({ sources, target, flow, isTaken }: CopyRequest): readonly ClientDraft[] {
  const made = new Set<string>();
  return sources.map(({ spec, identity }) => {
    const base = `${identity.email}_${target.id}`;
    let email = base;
    for (let n = 1; isTaken(email) || made.has(emailKey(email)); n += 1) email = `${base}_${n}`;
    made.add(emailKey(email));
    return {
      identity: { ...identity, email, subId: identity.subId || freshSubId() },
      credential: freshCredential(target.protocol, target.config.settings),
      spec: {
        ...spec,
        flow: target.protocol === 'vless' ? flow || spec.flow : '',
        reverseTag: target.protocol === 'vless' ? spec.reverseTag : '',
        method: target.protocol === 'shadowsocks' ? spec.method : '',
      },
    };
  });
}
