import { randomUUID } from 'node:crypto';
import type { keygenRoutes } from '../contract/keygen.js';
import type { Handlers } from '../mount.js';

export const keygenHandlers: Handlers<typeof keygenRoutes> = {
  getNewUUID(_, { read }) {
    const uuid = randomUUID();
    return read.settings().apiDialect === '3x-ui' ? { uuid } : uuid;
  },
  getNewX25519Cert: (_, { core }) => core.x25519(),
};
