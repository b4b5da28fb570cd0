import { type Access, accessOf } from '../../events/access/access-of.js';
import type { Foldings } from '../foldings.js';

/** Queries for the admins and what they may do. */
export class AdminQueries {
  readonly #models: Foldings;

  constructor(models: Foldings) {
    this.#models = models;
  }

  users() {
    return this.#models.users.state;
  }

  /** Roles, the access of admins, and the owners of clients. */
  access() {
    return this.#models.access.state;
  }

  /** What an admin may do. */
  accessOf(admin: number): Access {
    return accessOf(this.#models.access.state, admin);
  }
}
