import { reject } from '../../../commands/rejection.js';
import type { Inbound } from '../../../events/inbound/inbound-document.js';
import type { Chapter } from '../../../projections/story.js';
import { type Ended, endOf, endsUnder } from '../../../projections/why/ended.js';
import { explain } from '../../../projections/why/explain.js';
import type { Needs } from '../context.js';
import type { clientWhyRoutes } from '../contract/client-why.js';
import type { Handlers } from '../mount.js';

/** More than a person reads at once; the command line tells all of it. */
const CHAPTERS = 200;

export const clientWhyHandlers: Handlers<typeof clientWhyRoutes, Needs<'nodes' | 'now' | 'past' | 'read'>> = {
  why({ params: { email } }, services) {
    const { read, past, nodes, now } = services;
    const [first, ...others] = explain(read, past, email, now(), (node) => {
      const { status, lastError } = nodes.health(node);
      return status === 'offline' ? lastError : null;
    });
    if (!first) return whyOfDeleted(email, services);
    const { client, inbound, standing, mayConnect, rule, since, remedies, also, story } = first;
    return {
      email: client.identity.email,
      inbound: placeOf(inbound),
      ...{ standing, mayConnect, rule, since },
      remedies: [...remedies],
      also: also.map((one) => ({ ...one, remedies: [...one.remedies] })),
      siblings: others.map((other) => ({
        inbound: placeOf(other.inbound),
        standing: other.standing,
        mayConnect: other.mayConnect,
        rule: other.rule,
      })),
      earlier: endsUnder(read, past, email).map(briefly),
      story: shown(story),
    };
  },
};

/** Of an email that nobody has any more: who had it last. */
function whyOfDeleted(email: string, { read, past }: Needs<'read' | 'past'>) {
  const [last, ...before] = endsUnder(read, past, email);
  const end = last && endOf(past, last.client);
  const former = read.clients.former(email).find(({ number }) => number === last?.client);
  if (!end || !former) return reject('CLIENT_NOT_FOUND', { client: email });
  const { id, tag, remark } = read.inbounds.get(former.inbound) ?? { id: former.inbound, tag: '', remark: '' };
  return {
    email: former.email,
    inbound: { id, tag, remark },
    ...{ standing: end.standing, mayConnect: false, rule: 'the client was deleted', since: end.since },
    remedies: ['add it again: as another client, with nothing used'],
    ...{ also: [], siblings: [], earlier: before.map(briefly), story: shown(end.story) },
  };
}

const placeOf = ({ id, tag, remark }: Inbound) => ({ id, tag, remark });
const briefly = ({ client, since }: Omit<Ended, 'story'>) => ({ client, since });
const shown = (story: readonly Chapter[]) => story.slice(-CHAPTERS).map((chapter) => ({ ...chapter }));
