import { afterAll, beforeAll } from 'vitest';
import type { Core, CoreInbound } from '../../../src/commands/ports/core.js';
import type { JsonObject } from '../../../src/lib/json.js';
import {
  addInbound,
  certificate,
  clientCore,
  configOf,
  freePort,
  inboundOf,
  place,
  type Target,
  target,
} from './kit.js';
import { type Way, ways } from './protocols.js';

export interface Stage {
  readonly core: Core;
  /** Where this core has its files, and a client core may have its own. */
  readonly folder: string;
  readonly web: Target;
  way(name: string): Way;
}

/** For the tests of a suite: a real core that runs without inbounds, a target behind it, and the ways through it. */
export function coreStage(): Stage {
  const stage = {} as Stage;
  let end = async (): Promise<void> => undefined;
  beforeAll(async () => {
    const cert = await certificate();
    const web = await target(cert);
    const { core, folder, dispose } = place();
    end = async () => {
      await dispose();
      await web.close();
    };
    const all = ways(cert, web.tlsPort);
    const way = (name: string): Way => {
      const known = all[name];
      if (!known) throw new Error(`there is no way ${name}`);
      return known;
    };
    Object.assign(stage, { core, folder, web, way });
    await core.process.start(configOf([]));
  });
  afterAll(() => end());
  return stage;
}

interface Served {
  readonly inbound: CoreInbound;
  readonly accounts: readonly JsonObject[];
  /** The SOCKS ports of the client core: one for each of `connections`. */
  readonly ports: readonly number[];
  /** Ends the client core and removes the inbound. */
  close(): Promise<void>;
}

/**
 * Adds an inbound with accounts of these names, and starts a client core that connects to it: with the account at this
 * index, from this local address if one is given.
 */
export async function serve(
  { core, folder }: Stage,
  way: Way,
  names: readonly string[],
  connections: readonly (readonly [account: number, from?: string])[],
): Promise<Served> {
  const port = await freePort();
  const accounts = names.map((name) => way.account(name));
  const inbound = inboundOf(way.inbound(port), accounts);
  await addInbound(core, inbound);
  const outbounds = connections.map(([n, from]) => {
    const outbound = way.outbound(port, accounts[n] ?? {});
    return from === undefined ? outbound : { ...outbound, sendThrough: from };
  });
  const client = await clientCore(folder, outbounds);
  return {
    ...{ inbound, accounts, ports: client.ports },
    close: async () => {
      await client.close();
      await core.inbounds.remove(inbound);
    },
  };
}
