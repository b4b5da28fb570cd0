import { reject } from '../../commands/rejection.js';
import type { Inbound } from '../../events/inbound-document.js';
import { explain } from '../../projections/explain.js';
import type { clientWhyRoutes } from '../contract/client-why.js';
import type { Handlers } from '../mount.js';

/** More than a person reads at once; the command line tells all of it. */
const CHAPTERS = 200;

export const clientWhyHandlers: Handlers<typeof clientWhyRoutes> = {
  why({ params: { email } }, { read, past, nodes }) {
    const [first, ...others] = explain(read, past, email, (node) => {
      const { status, lastError } = nodes.health(node);
      return status === 'offline' ? lastError : null;
    });
    if (!first) return reject('CLIENT_NOT_FOUND', { client: email });
    const { client, inbound, standing, mayConnect, rule, since, remedies, story } = first;
    return {
      email: client.identity.email,
      inbound: placeOf(inbound),
      ...{ standing, mayConnect, rule, since },
      remedies: [...remedies],
      siblings: others.map((other) => ({
        inbound: placeOf(other.inbound),
        standing: other.standing,
        mayConnect: other.mayConnect,
        rule: other.rule,
      })),
      story: story.slice(-CHAPTERS).map((chapter) => ({ ...chapter })),
    };
  },
};

const placeOf = ({ id, tag, remark }: Inbound) => ({ id, tag, remark });
