import { reject } from '../../../commands/rejection.js';
import type { AuthContext } from '../auth/visit.js';
import type { eventRoutes } from '../contract/events.js';
import type { Handlers } from '../mount.js';

export const eventHandlers: Handlers<typeof eventRoutes, AuthContext> = {
  async events({ query }, { feed, signal, visit }) {
    const page = await feed.page(query, signal);
    // Who has waited may have been shown out meanwhile.
    return visit.lives ? page : reject('SESSION_EXPIRED');
  },
};
