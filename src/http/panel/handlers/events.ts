import { reject } from '../../../commands/rejection.js';
import type { AuthRequest } from '../auth/auth-context.js';
import type { Needs } from '../context.js';
import type { eventRoutes } from '../contract/events.js';
import type { Handlers } from '../mount.js';

export const eventHandlers: Handlers<typeof eventRoutes, Needs<'feed'>, AuthRequest> = {
  async events({ query }, { feed }, { signal, auth }) {
    const page = await feed.page(query, signal);
    // The session may have ended while the request waited.
    return auth.isStillValid ? page : reject('SESSION_EXPIRED');
  },
};
