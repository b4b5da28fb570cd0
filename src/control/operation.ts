import { z } from 'zod';
import type { Done } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import type { JoinRequests } from '../commands/cluster.js';
import type { Backups } from '../commands/ports/backups.js';
import type { Token } from '../events/access/token-document.js';
import { UserId } from '../events/ids.js';
import { OperatorError } from '../lib/errors/operator-error.js';
import { sameName } from '../lib/identifiers.js';
import { issue } from '../messages/issue.js';
import { message } from '../messages/message.js';
import type { PublishedHead } from './published-head.js';
import type { UndoTarget } from './undo.js';

/** What an operation works on: a running panel, or the log of a stopped one. */
export interface ControlTarget {
  readonly dataDir: string;
  readonly users: () => Iterable<{ readonly id: number; readonly username: string }>;
  readonly tokens: () => Iterable<Token>;
  /** Dispatches as the operator. Throws `OperatorError` for a rejection. */
  readonly dispatch: (command: AnyCommand) => Done;
  /** Resolves to the installed version. Null: only a running panel can install one. */
  readonly installCore: ((version: string) => Promise<string>) | null;
  /** Creates and restores backups. Null: no panel runs here. */
  readonly backups: Backups | null;
  readonly undo: UndoTarget;
  /** The machines that want to join. Null: no panel that leads a cluster runs here. */
  readonly joins: () => JoinRequests | null;
  /** Signs the head of the log and publishes it. Null: only a running panel can do that. */
  readonly publishHead: (() => Promise<PublishedHead>) | null;
  /** The last use of a session, by SHA-256 of its id, since the panel started. Null: no panel runs here. */
  readonly lastUse: ((session: string) => SessionUse | null) | null;
}

/** The last request of a session. */
export interface SessionUse {
  /** In ms since 1970. */
  readonly at: number;
  readonly ip: string;
}

export interface Operation {
  readonly data: z.ZodType;
  /** Throws `OperatorError`. */
  readonly run: (data: never, target: ControlTarget) => Promise<unknown> | unknown;
}

export function operation<S extends z.ZodType>(
  data: S,
  run: (data: z.output<S>, target: ControlTarget) => Promise<unknown> | unknown,
): Operation {
  return { data, run };
}

const MAX_NAME_CHARS = 64;
export const Name = z
  .string()
  .min(1, issue('input.missing'))
  .max(MAX_NAME_CHARS, issue('input.tooLong', { limit: MAX_NAME_CHARS }));

/** Throws `OperatorError` for an unknown name. */
export function idOf(users: ControlTarget['users'], username: string): UserId {
  const user = [...users()].find((known) => sameName(known.username, username));
  if (!user) throw new OperatorError(message('cli.adminUnknown', { username }));
  return UserId.parse(user.id);
}
