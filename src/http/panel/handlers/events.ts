import { reject } from '../../../commands/rejection.js';
import type { AuthRequest } from '../auth/auth-context.js';
import type { Needs } from '../context.js';
import type { eventRoutes } from '../contract/events.js';
import type { Handlers } from '../mount.js';

export const eventHandlers: Handlers<typeof eventRoutes, Needs<'feed' | 'limitedFeed'>, AuthRequest> = {
  async events({ query }, { feed, limitedFeed }, { signal, auth, handling }) {
    const isLimited = handling.feedLimits !== null;
    const page = await (isLimited
      ? limitedFeed.page(query, signal, () => handling.feedLimits)
      : feed.page(query, signal));
    // The session may have ended while the request waited.
    return auth.isStillValid && (handling.feedLimits !== null) === isLimited ? page : reject('SESSION_EXPIRED');
  },
};
