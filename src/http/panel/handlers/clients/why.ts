import type { z } from 'zod';
import { type Rejection, reject } from '../../../../commands/rejection.js';
import type { NodeId } from '../../../../events/ids.js';
import type { Inbound } from '../../../../events/inbound/inbound-document.js';
import { inSlices, type Steps } from '../../../../lib/time/slices.js';
import { codeOf, type Text } from '../../../../messages/message.js';
import { coded } from '../../../../messages/rendered.js';
import {
  type DeletedClient,
  deletedClientSteps,
  deletedWithEmail,
  explainDeleted,
} from '../../../../projections/why/deleted-clients.js';
import { explainSteps } from '../../../../projections/why/explain.js';
import { historySteps } from '../../../../projections/why/history.js';
import type { HttpRequest, Needs } from '../../context.js';
import type { clientWhyRoutes } from '../../contract/clients/why.js';
import type { Handlers } from '../../mount.js';

/** Maximum history entries in an answer, the newest ones. The command line shows all. */
const MAX_ENTRIES = 200;

type Services = Needs<'nodes' | 'now' | 'past' | 'read'>;
type WhyAnswer = z.output<(typeof clientWhyRoutes)['why']['reply']>;

export const clientWhyHandlers: Handlers<typeof clientWhyRoutes, Services> = {
  why: async ({ params: { email } }, services, { say }) => inSlices(whySteps(email, services, say)),
};

function* whySteps(email: string, services: Services, say: HttpRequest['say']): Steps<WhyAnswer | Rejection> {
  const { read, past, nodes, now } = services;
  const offline = (node: NodeId): Text | null => {
    const { status, lastError } = nodes.health(node);
    return status === 'offline' ? lastError : null;
  };
  const [first, ...others] = yield* explainSteps(read, past, { email, now, offline });
  if (!first) return yield* whyDeleted(email, services, say);
  const { client, inbound, history, ...why } = first;
  const answer = {
    email: client.identity.email,
    inbound: placeOf(inbound),
    ...withCodes(why),
    also: why.also.map(withCodes),
    siblings: others.map(({ inbound: other, status, mayConnect, rule }) => ({
      ...{ inbound: placeOf(other), status, mayConnect, rule },
    })),
    earlier: deletedWithEmail(read, past, email).map(deletionOf),
    story: yield* historySteps(past, history, MAX_ENTRIES),
  };
  return coded(answer, say);
}

/** For an email without a client: the last deleted client that had it. */
function* whyDeleted(email: string, { read, past }: Services, say: HttpRequest['say']): Steps<WhyAnswer | Rejection> {
  const [last, ...before] = deletedWithEmail(read, past, email);
  const deleted = last && (yield* deletedClientSteps(past, last.client, MAX_ENTRIES));
  const identity = read.clients.deleted(email).find(({ number }) => number === last?.client);
  if (!deleted || !identity) return reject('CLIENT_NOT_FOUND', { client: email });
  const { id, tag, remark } = read.inbounds.get(identity.inbound) ?? { id: identity.inbound, tag: '', remark: '' };
  const answer = {
    email: identity.email,
    inbound: { id, tag, remark },
    ...{ status: deleted.status, mayConnect: false, ...withCodes(explainDeleted()), since: deleted.since },
    ...{ also: [], siblings: [], earlier: before.map(deletionOf), story: deleted.story },
  };
  return coded(answer, say);
}

/** A list of texts has its codes in a separate list. */
function withCodes<T extends { readonly remedies: readonly Text[] }>(rule: T) {
  return { ...rule, remedyCodes: rule.remedies.map(codeOf) };
}

const placeOf = ({ id, tag, remark }: Inbound) => ({ id, tag, remark });
const deletionOf = ({ client, since }: Omit<DeletedClient, 'story'>) => ({ client, since });
