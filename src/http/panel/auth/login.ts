import { randomBytes } from 'node:crypto';
import { placeOf } from '../../../commands/ports/directory.js';
import type { TwoFactorProof } from '../../../commands/ports/two-factor.js';
import type { Rejection } from '../../../commands/rejection.js';
import { sameName } from '../../../lib/identifiers.js';
import type { UserRow } from '../../../projections/users.js';
import type { Needs } from '../context.js';
import type { FailureReason } from './failure-records.js';
import type { Visit } from './visit.js';

export type LoginServices = Needs<'read' | 'now' | 'passwords' | 'directory' | 'twoFactor'>;

/**
 * One login. Every one that fails does the same work, whatever is wrong: one hash comparison, one check of the code, and
 * where a directory is set one question to it. So the time does not tell that the password was right.
 */
export class Login {
  /** Why a login with the right password and code did not begin: the disk, for example. */
  refused: Rejection | null = null;
  readonly #services: LoginServices;
  readonly #visit: Visit;
  readonly #username: string;
  readonly #password: string;
  readonly #code: string;

  constructor(services: LoginServices, visit: Visit, username: string, password: string, code: string) {
    this.#services = services;
    this.#visit = visit;
    this.#username = username;
    this.#password = password;
    this.#code = code;
  }

  /** What is wrong; null when the login succeeded or was refused for a reason that `refused` has. */
  async check(): Promise<FailureReason | null> {
    const { read, passwords, twoFactor, now } = this.#services;
    const user = [...read.users().users.values()].find(({ username }) => sameName(username, this.#username));
    const own = await passwords.verify(this.#password, user?.passwordHash ?? null, hashesOf(this.#services));
    const proof = twoFactor.prove(read.settings.secrets().twoFactorToken, this.#code, now());
    const failure = own ? this.#begin(user, proof) : 'credentials';
    if (failure === null) {
      if (this.refused === null && user) await this.#upgrade(user);
      return null;
    }
    if (!read.settings.current().ldapEnable) return failure;
    const right = await this.#asksDirectory(own);
    return right && !own ? this.#begin(user, proof) : failure;
  }

  /** A local password that lacks its code is not for the directory: another one is asked about, for the time it takes. */
  #asksDirectory(own: boolean): Promise<boolean> {
    const { read, directory } = this.#services;
    const password = own ? randomBytes(16).toString('hex') : this.#password;
    return directory.proves(placeOf(read.settings.current(), read.settings.secrets()), this.#username, password);
  }

  #begin(user: UserRow | undefined, proof: TwoFactorProof | null): FailureReason | null {
    const { read } = this.#services;
    // The password took a while: the user must still be the one that was checked.
    if (!user || read.users().users.get(user.id)?.epoch !== user.epoch) return 'credentials';
    const refused = this.#visit.begin(user, proof);
    if (refused?.code === 'LOGIN_WRONG') return 'two-factor';
    this.refused = refused;
    return null;
  }

  /** A hash that came from another panel gives way to one of ours, now that the password is known. */
  async #upgrade(user: UserRow): Promise<void> {
    const { passwords } = this.#services;
    if (passwords.isForeign(user.passwordHash)) this.#visit.upgradeHash(user, await passwords.hash(this.#password));
  }
}

/** The hashes of all accounts. */
export const hashesOf = ({ read }: Needs<'read'>): readonly string[] =>
  [...read.users().users.values()].map(({ passwordHash }) => passwordHash);
