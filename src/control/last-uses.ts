import { z } from 'zod';
import { MAX_SESSIONS } from './access-operations.js';
import { operatePanel } from './control.js';
import type { SessionUse } from './operation.js';

const Uses = z.record(z.string(), z.object({ at: z.number(), ip: z.string() }));

/**
 * The last use of sessions, by SHA-256 of their ids. Only a running panel knows them, and only since it started: the others are
 * absent. Throws `OperatorError`.
 */
export async function lastUses(dataDir: string, sessions: readonly string[]): Promise<ReadonlyMap<string, SessionUse>> {
  const uses = new Map<string, SessionUse>();
  for (let first = 0; first < sessions.length; first += MAX_SESSIONS) {
    const data = { sessions: sessions.slice(first, first + MAX_SESSIONS) };
    const answer = await operatePanel(dataDir, 'session.uses', data);
    if (answer === undefined) return uses;
    for (const [session, use] of Object.entries(Uses.parse(answer))) uses.set(session, use);
  }
  return uses;
}
