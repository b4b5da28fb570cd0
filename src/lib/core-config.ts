import type { NamedClient } from './account-name.js';
import type { JsonObject } from './json.js';

/** One account of an inbound, as the core reads it. */
export interface CoreUser extends NamedClient {
  /** A member of `settings.clients` in the core's format, without the name: `{id, flow}`, `{password, method}`, `{auth}` … */
  readonly account: JsonObject;
}

/** The desired configuration of one inbound. */
export interface CoreInbound {
  readonly tag: string;
  /** The inbound in the core's format, with its tag and without `settings.clients`. Equal JSON = no change. */
  readonly config: JsonObject;
  /** By client number. Empty for protocols without client accounts (SOCKS, HTTP, mixed, WireGuard, tunnel). */
  readonly users: ReadonlyMap<number, CoreUser>;
  /** Whether accounts can be added and removed while the inbound runs. */
  readonly hotUsers: boolean;
}

/** The desired configuration of the core. The adapter adds the blocks api, stats, policy, metrics and log. */
export interface CoreConfig {
  readonly template: JsonObject;
  readonly inbounds: ReadonlyMap<string, CoreInbound>;
}
