import { Rejection, reject } from '../../../commands/rejection.js';
import type { Token } from '../../../events/access/token-document.js';
import type { InboundId, TokenId, UserId } from '../../../events/ids.js';
import { newTokenSecret } from '../../../lib/secrets/token-secret.js';
import { message } from '../../../messages/message.js';
import { messageOf } from '../answers.js';
import type { AuthContext, AuthRequest } from '../auth/auth-context.js';
import type { Needs } from '../context.js';
import type { RequestOf } from '../contract/route.js';
import type { metricRoutes, tokenRoutes } from '../contract/tokens.js';
import type { Handlers } from '../mount.js';
import { Attachment } from '../outcomes.js';

export const tokenHandlers: Handlers<typeof tokenRoutes, Needs<'read' | 'now'>, AuthRequest> = {
  list: (_, { read, now }, { auth }) =>
    [...read.admins.access().tokens.values()].map((token) => shown(token, auth, now())),

  add({ body }, _, { dispatch }) {
    const { secret, ...stored } = newTokenSecret();
    const done = dispatch({ type: 'CreateToken', data: { ...requested(body), ...stored } });
    return done instanceof Rejection ? done : revealed(done.events, stored.hash, secret);
  },

  update({ params: { id }, body: { inbounds, admin, ...rest } }, _, { dispatch }) {
    const owner = admin === undefined ? {} : { admin: admin === 0 ? null : (admin as UserId) };
    const data = { token: id as TokenId, ...rest, inbounds: inbounds as InboundId[] | undefined, ...owner };
    return messageOf(dispatch({ type: 'ChangeToken', data }), message('access.tokenChanged'));
  },

  rotate({ params: { id }, body: { overlapHours } }, _, { dispatch }) {
    const { secret, ...stored } = newTokenSecret();
    const done = dispatch({ type: 'RotateToken', data: { token: id as TokenId, overlapHours, ...stored } });
    return done instanceof Rejection ? done : revealed(done.events, stored.hash, secret);
  },

  revoke: ({ params: { id } }, _, { dispatch }) =>
    messageOf(dispatch({ type: 'RevokeToken', data: { token: id as TokenId } }), message('access.tokenRevoked')),
};

const requested = ({ inbounds, admin, ...rest }: RequestOf<typeof tokenRoutes.add>['body']) => ({
  ...rest,
  inbounds: inbounds as InboundId[],
  admin: admin === 0 ? null : (admin as UserId),
});

export const metricHandlers: Handlers<typeof metricRoutes, Needs<'metrics'>> = {
  async metrics(_, { metrics }) {
    const { type, text } = metrics();
    return new Attachment({ media: type.replace(/; charset=.*/, ''), name: 'metrics.txt', text: await text() });
  },
};

/** A repeated request has the events of the first one, whose secret is no longer known. */
function revealed(events: readonly { type: string; data: object }[], hash: string, secret: string) {
  for (const { data } of events) {
    if (!('token' in data && 'secret' in data)) continue;
    const { token, secret: stored } = data as { token: number; secret: { hash: string } };
    return stored.hash === hash ? { id: token, secret } : reject('TOKEN_SHOWN');
  }
  return reject('TOKEN_SHOWN');
}

function shown(token: Token, auth: AuthContext, now: number) {
  const { id, name, prefix, role, inbounds, admin, expiresAt, addresses, createdAt, rotatedAt, previous } = token;
  const used = auth.lastUse(token);
  return {
    ...{ id, name, prefix, role, inbounds: [...inbounds], admin: admin ?? 0 },
    ...{ expiresAt, addresses: [...addresses], createdAt, rotatedAt },
    previousUntil: previous && previous.until > now ? previous.until : null,
    usedAt: used?.at ?? null,
    usedFrom: used?.ip ?? null,
  };
}
