import { Rejection, reject } from '../../../../commands/rejection.js';
import { emailKey } from '../../../../events/client/client-document.js';
import { copiesOf } from '../../codec/copies.js';
import type { Needs } from '../../context.js';
import type { clientRoutes } from '../../contract/clients/clients.js';
import type { Handlers } from '../../mount.js';

/**
 * Copies clients into the inbound of the path. The answer lists the copies, and the requested emails that the source does
 * not have.
 */
export const copyClients: Handlers<typeof clientRoutes, Needs<'read'>>['copyClients'] = (
  { params, body },
  { read },
  { dispatch },
) => {
  const source = read.inbounds.get(body.sourceInboundId);
  const target = read.inbounds.get(params.id);
  if (!source) return reject('INBOUND_NOT_FOUND', { inbound: body.sourceInboundId });
  if (!target) return reject('INBOUND_NOT_FOUND', { inbound: params.id });
  if (source.id === target.id) return reject('SAME_INBOUND');
  const wanted = body.clientEmails.map((email) => email.trim()).filter((email) => email !== '');
  const keys = new Set(wanted.map(emailKey));
  const all = read.clients.ofInbound(source.id);
  const sources = keys.size === 0 ? all : all.filter(({ identity }) => keys.has(emailKey(identity.email)));
  const known = new Set(sources.map(({ identity }) => emailKey(identity.email)));
  const skipped = wanted.filter((email) => !known.has(emailKey(email)));
  if (sources.length === 0) return { added: [], skipped, errors: [] };
  const isTaken = (email: string) => read.clients.firstByEmail(email) !== undefined;
  const clients = copiesOf({ sources, target, flow: body.flow.trim(), isTaken });
  const done = dispatch({ type: 'AddClients', data: { inbound: target.id, clients } });
  if (done instanceof Rejection) return done;
  return { added: clients.map(({ identity }) => identity.email), skipped, errors: [] };
};
