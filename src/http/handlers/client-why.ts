import { reject } from '../../commands/rejection.js';
import { whyOf } from '../../projections/why.js';
import type { clientWhyRoutes } from '../contract/client-why.js';
import type { Handlers } from '../mount.js';

/** More than a person reads at once; the command line tells all of it. */
const CHAPTERS = 200;

export const clientWhyHandlers: Handlers<typeof clientWhyRoutes> = {
  why({ params: { email } }, { read, storyOf }) {
    const client = read.clientByEmail(email);
    const inbound = client && read.inbound(client.inbound);
    if (!client || !inbound) return reject('CLIENT_NOT_FOUND', { client: email });
    const story = storyOf(client.number);
    const { since, remedies, ...rest } = whyOf({
      client,
      inbound,
      used: read.clientCounter(client),
      core: read.core(),
      story,
    });
    return {
      email: client.identity.email,
      inbound: { id: inbound.id, tag: inbound.tag, remark: inbound.remark },
      ...rest,
      since,
      remedies: [...remedies],
      story: story.slice(-CHAPTERS).map((chapter) => ({ ...chapter })),
    };
  },
};
