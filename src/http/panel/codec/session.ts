import type { LiveSession } from '../auth/session.js';
import type { SessionUse } from '../auth/session-uses.js';

/** Enough of the hash to identify a session. Neither this nor the whole hash reveals its id. */
export const publicSessionId = (idHash: string): string => idHash.slice(0, 16);

/** A session as the API shows it. `current`: hash of the session of the request. */
export const shownSession = (
  { idHash, device, ip, startedAt, expiresAt, lastUse }: LiveSession & { readonly lastUse: SessionUse | null },
  current: string | undefined,
) => ({
  id: publicSessionId(idHash),
  device,
  ip: lastUse?.ip ?? ip,
  startedAt,
  usedAt: lastUse?.at ?? null,
  expiresAt,
  current: idHash === current,
});
