import { reject } from '../../commands/rejection.js';
import type { Client } from '../../events/client-document.js';
import type { Inbound } from '../../events/inbound-document.js';
import type { ReadModels } from '../../projections/read-models.js';
import type { Chapter } from '../../projections/story.js';
import { type Why, whyOf } from '../../projections/why.js';
import type { clientWhyRoutes } from '../contract/client-why.js';
import type { Handlers } from '../mount.js';

/** More than a person reads at once; the command line tells all of it. */
const CHAPTERS = 200;

export const clientWhyHandlers: Handlers<typeof clientWhyRoutes> = {
  why({ params: { email } }, { read, storyOf }) {
    const [first, ...others] = read.clientsByEmail(email).flatMap((client) => placed(read, client) ?? []);
    if (!first) return reject('CLIENT_NOT_FOUND', { client: email });
    const story = storyOf(first.client.number);
    const { since, remedies, ...rest } = why(read, first, story);
    return {
      email: first.client.identity.email,
      inbound: placeOf(first.inbound),
      ...rest,
      since,
      remedies: [...remedies],
      siblings: others.map((other) => {
        const { standing, mayConnect, rule } = why(read, other, []);
        return { inbound: placeOf(other.inbound), standing, mayConnect, rule };
      }),
      story: story.slice(-CHAPTERS).map((chapter) => ({ ...chapter })),
    };
  },
};

interface Placed {
  readonly client: Client;
  readonly inbound: Inbound;
}

function placed(read: ReadModels, client: Client): Placed | null {
  const inbound = read.inbound(client.inbound);
  return inbound ? { client, inbound } : null;
}

const placeOf = ({ id, tag, remark }: Inbound) => ({ id, tag, remark });

function why(read: ReadModels, { client, inbound }: Placed, story: readonly Chapter[]): Why {
  const siblings = read.siblings(client).flatMap((sibling) => {
    const its = placed(read, sibling);
    return its ? [{ inbound: its.inbound, own: read.ownCounter(sibling) }] : [];
  });
  return whyOf({ client, inbound, used: read.clientCounter(client), siblings, core: read.core(), story });
}
