import type { Needs } from '../context.js';
import type { serverRoutes } from '../contract/server.js';
import type { Handlers } from '../mount.js';

export const serverHandlers: Handlers<typeof serverRoutes, Needs<'read' | 'status'>> = {
  status: (_, { status }) => status(),

  getWebCertFiles(_, { read }) {
    const { webCertFile, webKeyFile } = read.settings.current();
    return { webCertFile, webKeyFile };
  },
};
