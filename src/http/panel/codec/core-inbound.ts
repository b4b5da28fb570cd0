import type { InboundDraft } from '../../../commands/inbound/inbound.js';
import type { CoreInbound } from '../../../commands/ports/core.js';
import type { Client } from '../../../events/client/client-document.js';
import type { ClientNumber, InboundId, UserId } from '../../../events/ids.js';
import type { Inbound } from '../../../events/inbound/inbound-document.js';
import { coreInbound, coreUser } from '../../../projections/core/core-json.js';

const notDepleted = { keyVersion: 1, node: null, depletion: null, depletedAt: 0, createdAt: 0, updatedAt: 0 };

/** A draft as an inbound, with numbers that belong to none. */
export function documentOf({ spec, enabled, config }: InboundDraft): Inbound {
  return {
    ...notDepleted,
    ...spec,
    tag: spec.tag || `inbound-${spec.port}`,
    id: 1 as InboundId,
    owner: 1 as UserId,
    enabled,
    config,
    resetAt: 0,
    periodAt: 0,
  };
}

/** The inbound of a draft in the core's format, to test it before the command is decided. */
export function coreInboundOf(asked: InboundDraft): CoreInbound {
  const inbound = documentOf(asked);
  const rendered = coreInbound(inbound);
  const users = asked.clients.map((draft, index) => {
    const client: Client = { ...notDepleted, ...draft, number: (index + 1) as ClientNumber, inbound: inbound.id };
    return coreUser(inbound, client);
  });
  return { ...rendered, users: new Map(rendered.hotUsers ? users.map((user) => [user.client, user]) : []) };
}
