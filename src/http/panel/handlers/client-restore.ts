import type { ClientDraft } from '../../../commands/client/credentials.js';
import { Rejection, reject } from '../../../commands/rejection.js';
import type { ClientNumber } from '../../../events/ids.js';
import type { Inbound } from '../../../events/inbound/inbound-document.js';
import { message } from '../../../messages/message.js';
import { messageOf } from '../answers.js';
import { clientDraft } from '../codec/client.js';
import type { HttpRequest, Needs } from '../context.js';
import type { clientListRoutes } from '../contract/client-list.js';
import type { RequestOf } from '../contract/route.js';
import type { Handlers } from '../mount.js';

type Deleted = RequestOf<(typeof clientListRoutes)['restore']>['body']['deleted'];

/** Adds deleted clients again, and sets counters and terms to what they were. */
export const restoreClients: Handlers<typeof clientListRoutes, Needs<'read'>>['restore'] = async (
  { body: { terms, counters, deleted } },
  { read },
  { dispatch, change },
) => {
  const failed = addAgain(deleted, read, dispatch);
  if (failed) return failed;
  const data = { terms: terms.map(({ client, ...asked }) => ({ client: client as ClientNumber, ...asked })) };
  const changed = dispatch({ type: 'ChangeClientTerms', data });
  if (changed instanceof Rejection) return changed;
  const done = await change(() => ({ type: 'AdjustClientsTraffic', data: { counters } }));
  return messageOf(done, message('client.restored'));
};

function addAgain(deleted: Deleted, read: Needs<'read'>['read'], dispatch: HttpRequest['dispatch']): Rejection | null {
  const drafts = new Map<Inbound, ClientDraft[]>();
  for (const { inbound: id, client } of deleted) {
    const inbound = read.inbounds.get(id);
    if (!inbound) return reject('INBOUND_NOT_FOUND', { inbound: id });
    const its = drafts.get(inbound) ?? [];
    its.push(clientDraft(client, inbound.protocol));
    drafts.set(inbound, its);
  }
  for (const [inbound, clients] of drafts) {
    const done = dispatch({ type: 'AddClients', data: { inbound: inbound.id, clients } });
    if (done instanceof Rejection) return done;
  }
  return null;
}
