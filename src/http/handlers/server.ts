import { statusOf } from '../codec/status.js';
import type { serverRoutes } from '../contract/server.js';
import type { Handlers } from '../mount.js';

export const serverHandlers: Handlers<typeof serverRoutes> = {
  status: (_, { read, host, now }) => statusOf(read, host.latest, now()),
};
