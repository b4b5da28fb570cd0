import { z } from 'zod';
import { get, routes } from './route.js';

/** Fresh keys; nothing is kept. */
export const keygenRoutes = routes('/panel/api/server', {
  getNewUUID: get('/getNewUUID', {
    summary: 'A new UUID of version 4',
    reply: z.union([z.string(), z.object({ uuid: z.string() })]),
  }),
  getNewX25519Cert: get('/getNewX25519Cert', {
    summary: 'A new X25519 pair for REALITY',
    reply: z.object({ privateKey: z.string(), publicKey: z.string() }),
  }),
});
