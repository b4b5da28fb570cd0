import type { NamedClient } from './account-name.js';
import type { JsonObject } from './json.js';

/** One account of an inbound, as the core reads it. */
export interface CoreUser extends NamedClient {
  /** A member of `settings.clients` in the core's own words, without the name: `{id, flow}`, `{password, method}`, `{auth}` … */
  readonly account: JsonObject;
}

/** One inbound as the core shall run it. */
export interface CoreInbound {
  readonly tag: string;
  /** The inbound in the core's own words, with its tag and without `settings.clients`. Equal JSON = nothing to do. */
  readonly config: JsonObject;
  /** By client number. Empty for protocols without accounts of their own (socks, http, mixed, wireguard, tunnel). */
  readonly users: ReadonlyMap<number, CoreUser>;
  /** Whether accounts can be added and removed while it runs. */
  readonly hotUsers: boolean;
}

/** All that the core shall run. Our own api, stats, policy, metrics and log blocks are the adapter's business. */
export interface CoreConfig {
  readonly template: JsonObject;
  readonly inbounds: ReadonlyMap<string, CoreInbound>;
}
