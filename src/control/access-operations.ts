import { z } from 'zod';
import { ClientNumber } from '../events/ids.js';
import { SCOPES } from '../lib/permissions.js';
import { idOf, Name, type Operation, operation } from './operation.js';

const MAX_GRANTS = 200;
const MAX_TEXT_CHARS = 64;

/** Sessions in one question for their last use. */
export const MAX_SESSIONS = 1000;
/** SHA-256 of the id of a session, hex. */
const SessionHash = z.string().regex(/^[0-9a-f]{64}$/);
const Grant = z.strictObject({ permission: z.string().max(MAX_TEXT_CHARS), scope: z.enum(SCOPES) });

/** Roles, the owners of clients, and sessions. */
export const accessOperations = {
  'role.define': operation(
    z.strictObject({ role: Name, grants: z.array(Grant).max(MAX_GRANTS) }),
    (data, { dispatch }) => ({ changed: dispatch({ type: 'DefineRole', data }).events.length > 0 }),
  ),

  'role.delete': operation(
    z.strictObject({ role: Name }),
    (data, { dispatch }) => void dispatch({ type: 'DeleteRole', data }),
  ),

  'admin.hand-over': operation(
    z.strictObject({ clients: z.array(ClientNumber), owner: Name.nullable() }),
    ({ clients, owner }, { users, dispatch }) => {
      const data = { clients, owner: owner === null ? null : idOf(users, owner) };
      const { events } = dispatch({ type: 'HandOverClients', data });
      return { clients: events.flatMap((event) => (event.type === 'OwnerAssigned' ? event.data.clients : [])) };
    },
  ),

  /** The last use of sessions that were used since the panel started. */
  'session.uses': operation(
    z.strictObject({ sessions: z.array(SessionHash).max(MAX_SESSIONS) }),
    ({ sessions }, { lastUse }) =>
      Object.fromEntries(
        sessions.flatMap((session) => {
          const use = lastUse?.(session);
          return use ? [[session, use]] : [];
        }),
      ),
  ),

  /** `session`: SHA-256 of its id, hex; null = all sessions of the admin. */
  'session.revoke': operation(
    z.strictObject({
      username: Name,
      session: SessionHash.nullable(),
    }),
    ({ username, session }, { users, dispatch }) => {
      const user = idOf(users, username);
      if (session === null) dispatch({ type: 'EndSessions', data: { user } });
      else dispatch({ type: 'RecordLogout', data: { user, session: { idHash: session } } });
    },
  ),
} as const satisfies Readonly<Record<string, Operation>>;
