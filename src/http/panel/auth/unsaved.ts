import type { CommandContext, Dispatch } from '../../../commands/bus.js';
import type { AnyCommand } from '../../../commands/catalog.js';
import { Rejection, refusedByStorage, reject } from '../../../commands/rejection.js';
import type { Evidence } from '../../../commands/user/second-factors.js';
import type { Session } from '../../../projections/models/users.js';

/** The number of logins and logouts kept in memory for the log. Each one had a correct password. */
const MAX_UNSAVED = 1000;

interface Parts {
  readonly dispatch: Dispatch;
  readonly now: () => number;
  /** The current login epoch of a user. */
  readonly epochOf: (user: number) => number;
  readonly most?: number;
}

interface Waiting {
  readonly command: AnyCommand;
  readonly context: CommandContext;
  readonly recorded: () => void;
}

type Context = Omit<CommandContext, 'at'>;

/**
 * Logins and logouts that could not be saved. They take effect anyway, so that an admin can log in to a panel whose disk is
 * full, and are recorded with their original time when there is space again. What is still here when the panel exits is
 * lost, and those sessions end.
 */
export class UnsavedSessions {
  readonly #parts: Parts;
  /** By SHA-256 of the session id, hex. */
  readonly #begun = new Map<string, Session>();
  readonly #ended = new Set<string>();
  /** Two-factor codes of logins that are not recorded yet, so the log cannot reject their reuse. */
  readonly #codes = new Set<string>();
  #waiting: Waiting[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The sessions that are not recorded yet, by SHA-256 of their ids. */
  get begun(): ReadonlyMap<string, Session> {
    return this.#begun;
  }

  find(idHash: string): Session | undefined {
    return this.#begun.get(idHash);
  }

  hasEnded(idHash: string): boolean {
    return this.#ended.has(idHash);
  }

  /**
   * Dispatches the command that starts a session. Null when it was recorded, or kept in memory because the disk rejected it;
   * otherwise the rejection.
   */
  begin(command: AnyCommand & { type: 'RecordLogin' | 'RenewSession' }, context: Context): Rejection | null {
    const { user, session, expiresAt } = command.data;
    const code = command.type === 'RecordLogin' ? codeOf(user, command.data) : '';
    if (this.#codes.has(code)) return reject('LOGIN_WRONG');
    const { idHash, csrfToken, device } = session;
    const epoch = this.#parts.epochOf(user);
    const forget = (): void => void (this.#begun.delete(idHash), this.#codes.delete(code));
    const late = { ...command, data: { ...command.data, epoch } } as AnyCommand;
    return this.#record(command, late, context, forget, (startedAt) => {
      this.#begun.set(idHash, { user, epoch, csrfToken, device, ip: context.actor.ip, startedAt, expiresAt });
      if (code !== '') this.#codes.add(code);
    });
  }

  /** The same for the command that ends a session. */
  end(command: AnyCommand & { type: 'RecordLogout' }, context: Context): Rejection | null {
    const { idHash } = command.data.session;
    // A waiting login must be recorded before its logout.
    if (this.#begun.has(idHash)) this.flush();
    const forget = (): void => void this.#ended.delete(idHash);
    return this.#record(command, command, context, forget, () => this.#ended.add(idHash));
  }

  /** Records the waiting commands in order, until the disk rejects one. */
  flush(): void {
    while (this.#waiting.length > 0) {
      const [first] = this.#waiting;
      if (!first) return;
      const done = this.#parts.dispatch(first.command, first.context);
      if (done instanceof Rejection && refusedByStorage(done)) return;
      this.#waiting.shift();
      first.recorded();
    }
  }

  #record(
    command: AnyCommand,
    late: AnyCommand,
    context: Context,
    recorded: () => void,
    remember: (at: number) => void,
  ): Rejection | null {
    const { dispatch, now, most = MAX_UNSAVED } = this.#parts;
    const done = dispatch(command, context);
    if (!(done instanceof Rejection)) return null;
    if (!refusedByStorage(done) || this.#waiting.length >= most) return done;
    const at = now();
    this.#waiting.push({ command: late, context: { ...context, at }, recorded });
    remember(at);
    return null;
  }
}

/** The code that a login used up; empty = none. */
const codeOf = (user: number, { proof, recovery }: Evidence): string =>
  proof ? `${proof.token}/${proof.step}` : recovery === undefined ? '' : `${user}/${recovery}`;
