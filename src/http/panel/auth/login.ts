import { randomBytes } from 'node:crypto';
import { directoryConfig } from '../../../commands/ports/directory.js';
import type { Rejection } from '../../../commands/rejection.js';
import type { Evidence } from '../../../commands/user/second-factors.js';
import { sameName } from '../../../lib/identifiers.js';
import { recoveryHash } from '../../../lib/secrets/recovery-codes.js';
import type { UserRow } from '../../../projections/models/users.js';
import type { Needs } from '../context.js';
import type { AuthContext } from './auth-context.js';
import type { FailureReason } from './failure-records.js';

export type LoginServices = Needs<'read' | 'now' | 'passwords' | 'directory' | 'twoFactor'>;

/**
 * One login. Every failed login does the same work, whatever is wrong: one hash comparison, one code check and, if a
 * directory is configured, one directory query. So the response time does not reveal whether the password was right.
 */
export class Login {
  /** Why a login with the right password and code was rejected, for example because the disk is full. */
  refused: Rejection | null = null;
  readonly #services: LoginServices;
  readonly #auth: AuthContext;
  readonly #username: string;
  readonly #password: string;
  readonly #code: string;

  constructor(services: LoginServices, auth: AuthContext, username: string, password: string, code: string) {
    this.#services = services;
    this.#auth = auth;
    this.#username = username;
    this.#password = password;
    this.#code = code;
  }

  /** The reason of the failure. Null when the login succeeded, or was rejected for the reason in `refused`. */
  async check(): Promise<FailureReason | null> {
    const { read, passwords, twoFactor, now } = this.#services;
    const user = [...read.admins.users().users.values()].find(({ username }) => sameName(username, this.#username));
    const own = await passwords.verify(this.#password, user?.passwordHash ?? null, hashesOf(this.#services));
    // A token of the admin counts instead of the token of the panel.
    const token = (user && read.admins.users().factors.get(user.id)?.token) || read.settings.secrets().twoFactorToken;
    const proof = twoFactor.prove(token, this.#code, now());
    const hash = recoveryHash(this.#code);
    const shown: Evidence = proof ? { proof } : this.#code === '' ? {} : { recovery: hash };
    const failure = own ? this.#begin(user, shown) : 'credentials';
    if (failure === null) {
      if (this.refused === null && user) await this.#upgrade(user);
      return null;
    }
    if (!read.settings.current().ldapEnable) return failure;
    const right = await this.#askDirectory(own);
    return right && !own ? this.#begin(user, shown) : failure;
  }

  /**
   * A correct local password without its code must not be sent to the directory. A random one is sent instead, to take the
   * same time.
   */
  #askDirectory(own: boolean): Promise<boolean> {
    const { read, directory } = this.#services;
    const password = own ? randomBytes(16).toString('hex') : this.#password;
    return directory.verifyPassword(
      directoryConfig(read.settings.current(), read.settings.secrets()),
      this.#username,
      password,
    );
  }

  #begin(user: UserRow | undefined, shown: Evidence): FailureReason | null {
    const { read } = this.#services;
    // Hashing takes a while: the user may have changed since it was checked.
    if (!user || read.admins.users().users.get(user.id)?.epoch !== user.epoch) return 'credentials';
    const refused = this.#auth.browser.start(user, shown);
    if (refused?.code === 'LOGIN_WRONG') return 'two-factor';
    this.refused = refused;
    return null;
  }

  /** Replaces a hash imported from another panel with a scrypt hash, now that the password is known. */
  async #upgrade(user: UserRow): Promise<void> {
    const { passwords } = this.#services;
    if (passwords.isForeign(user.passwordHash))
      this.#auth.attempts.upgradeHash(user, await passwords.hash(this.#password));
  }
}

/** The hashes of all accounts. */
export const hashesOf = ({ read }: Needs<'read'>): readonly string[] =>
  [...read.admins.users().users.values()].map(({ passwordHash }) => passwordHash);
