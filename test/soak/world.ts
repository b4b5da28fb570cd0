import { type Added, addInbound, entryOf, recorded, template } from '../e2e/support.js';
import { type ClientCore, startClientCore } from '../kit/real/client-core.js';
import { type CaseContext, type ClientSeed, inboundCase, makeClient, makeContext } from '../kit/real/inbounds.js';
import { type Admin, type PanelProcess, startPanel, storeTemplate } from '../kit/real/panel-process.js';
import { startTargets, type Targets } from '../kit/real/targets.js';
import type { Chance } from './chance.js';
import { type Exchange, startExchange } from './exchange.js';
import { type Life, newLife } from './ledger.js';
import { Seat } from './seat.js';

/** Inbounds, and how many clients each has. */
const INBOUNDS: readonly (readonly [string, number])[] = [
  ['vless-tcp', 2],
  ['vless-ws', 1],
  ['trojan-tcp-tls', 2],
  ['ss-aes-256-gcm', 1],
  ['ss-2022-256', 2],
  ['hysteria2', 2],
  ['vmess-tcp', 1],
];

/** A real panel with a real core, and client apps that use it. */
export class World {
  readonly chance: Chance;
  readonly seats: Seat[] = [];
  readonly lives: Life[] = [];
  /** When the core was stopped because we asked for it, ms. */
  readonly asked: { readonly from: number; readonly to: number }[] = [];
  readonly exchange: Exchange;
  readonly #targets: Targets;
  readonly #client: ClientCore;
  readonly #later: { readonly at: number; readonly work: () => Promise<void> }[] = [];
  panel: PanelProcess;
  admin: Admin;

  private constructor(parts: {
    chance: Chance;
    exchange: Exchange;
    targets: Targets;
    client: ClientCore;
    panel: PanelProcess;
    admin: Admin;
  }) {
    this.chance = parts.chance;
    this.exchange = parts.exchange;
    this.#targets = parts.targets;
    this.#client = parts.client;
    this.panel = parts.panel;
    this.admin = parts.admin;
  }

  static async open(chance: Chance): Promise<World> {
    const targets = await startTargets();
    const exchange = await startExchange();
    const panel = await startPanel();
    const admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    const context = makeContext({ ...targets, targetPort: targets.port });
    const seeded = await addInbounds(admin, context);
    const entries = await Promise.all(seeded.map(({ added, seed }) => entryOf(panel, added, seed)));
    const client = await startClientCore(entries);
    const world = new World({ chance, exchange, targets, client, panel, admin });
    const numbers = new Map(
      recorded(panel.dataDir, 'ClientAdded').map(({ data }) => [data.identity.email, data.client]),
    );
    for (const [index, { added, seed }] of seeded.entries()) {
      const keyVersion = newLife(numbers.get(seed.email) ?? 0, `${added.one.name} ${seed.email}`);
      world.lives.push(keyVersion);
      world.seats.push(new Seat({ added, seed, keyVersion, socks: client.socksPort(index), exchange, chance }));
    }
    return world;
  }

  /** Ends the panel as the signal does, and starts it again on the same data. */
  async restartPanel(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const { dataDir, ports, username, password } = this.panel;
    this.panel.kill(signal);
    await this.panel.exited;
    const next = await startPanel({ dataDir, ports, username, password });
    // Who cleans up is the one that made the folder.
    this.panel = { ...next, cleanUp: this.panel.cleanUp, stop: next.stop };
    this.admin = await next.admin();
  }

  /** To be done after some seconds, between two other deeds. */
  later(work: () => Promise<void>): void {
    this.#later.push({ at: Date.now() + this.chance.whole(3000, 20_000), work });
  }

  /** Does what is due; all of it when `every`. */
  async doLater(every = false): Promise<void> {
    const due = this.#later.filter(({ at }) => every || at <= Date.now());
    for (const one of due) {
      this.#later.splice(this.#later.indexOf(one), 1);
      await one.work();
    }
  }

  async close(): Promise<void> {
    for (const seat of this.seats) seat.stop();
    await this.panel.stop();
    await Promise.all([this.#client.stop(), this.panel.cleanUp(), this.#targets.stop(), this.exchange.stop()]);
  }
}

async function addInbounds(admin: Admin, context: CaseContext): Promise<{ added: Added; seed: ClientSeed }[]> {
  const seeded: { added: Added; seed: ClientSeed }[] = [];
  for (const [name, clients] of INBOUNDS) {
    const seeds = Array.from({ length: clients }, () => makeClient());
    const added = await addInbound(admin, inboundCase(context, name), seeds);
    for (const seed of seeds) seeded.push({ added, seed });
  }
  return seeded;
}
