import { z } from 'zod';
import type { Token } from '../events/access/token-document.js';
import { InboundId, TokenId } from '../events/ids.js';
import { OperatorError } from '../lib/errors/operator-error.js';
import { sameName } from '../lib/identifiers.js';
import { message } from '../messages/message.js';
import { type ControlTarget, idOf, Name, type Operation, operation } from './operation.js';

const Secret = z.strictObject({ prefix: z.string().max(20), hash: z.string().regex(/^[0-9a-f]{64}$/) });

const MAX_TEXT_CHARS = 64;
const Chosen = z.strictObject({
  name: Name,
  role: z.string().max(MAX_TEXT_CHARS),
  inbounds: z.array(InboundId),
  /** User name; empty = none. */
  admin: z.string().max(MAX_TEXT_CHARS),
  expiresAt: z.int().nonnegative(),
  addresses: z.array(z.string().max(MAX_TEXT_CHARS)),
});

/** What is absent stays as it is. */
const Changed = Chosen.partial().extend({ token: Name });

/** Throws `OperatorError` for an unknown name. */
function tokenNamed(tokens: ControlTarget['tokens'], name: string): Token {
  const token = [...tokens()].find((known) => sameName(known.name, name));
  if (!token) throw new OperatorError(message('cli.tokenUnknown', { name }));
  return token;
}

const idNamed = (tokens: ControlTarget['tokens'], name: string): TokenId => TokenId.parse(tokenNamed(tokens, name).id);

/** Access tokens. */
export const tokenOperations = {
  'token.create': operation(Chosen.extend(Secret.shape), ({ admin, ...data }, { users, dispatch }) => {
    dispatch({ type: 'CreateToken', data: { ...data, admin: admin === '' ? null : idOf(users, admin) } });
  }),

  'token.edit': operation(Changed, ({ token: named, admin, ...changes }, { tokens, users, dispatch }) => {
    const next = admin === undefined ? {} : { admin: admin === '' ? null : idOf(users, admin) };
    dispatch({ type: 'ChangeToken', data: { token: idNamed(tokens, named), ...changes, ...next } });
  }),

  'token.rotate': operation(
    Secret.extend({ name: Name, overlapHours: z.int().nonnegative() }),
    ({ name, ...data }, { tokens, dispatch }) => {
      dispatch({ type: 'RotateToken', data: { token: idNamed(tokens, name), ...data } });
    },
  ),

  'token.revoke': operation(z.strictObject({ name: Name }), ({ name }, { tokens, dispatch }) => {
    dispatch({ type: 'RevokeToken', data: { token: idNamed(tokens, name) } });
  }),
} as const satisfies Readonly<Record<string, Operation>>;
