import { type Added, addInbound, entryOf, recorded, template } from '../e2e/support.js';
import { type ClientCore, startClientCore } from '../kit/real/client-core.js';
import { type CaseContext, type ClientSeed, inboundCase, makeClient, makeContext } from '../kit/real/inbounds.js';
import { type Admin, type PanelProcess, startPanel, storeTemplate } from '../kit/real/panel-process.js';
import { startTargets, type Targets } from '../kit/real/targets.js';
import { ClientApp } from './client-app.js';
import { type ClientLifetime, newLifetime } from './client-lifetime.js';
import type { Random } from './random.js';
import { startTransferServer, type TransferServer } from './transfer-server.js';

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
export class TestBed {
  readonly random: Random;
  readonly apps: ClientApp[] = [];
  readonly lifetimes: ClientLifetime[] = [];
  /** When the core was stopped on request, ms. */
  readonly requestedStops: { readonly from: number; readonly to: number }[] = [];
  readonly transferServer: TransferServer;
  readonly #targets: Targets;
  readonly #client: ClientCore;
  readonly #schedule: { readonly at: number; readonly work: () => Promise<void> }[] = [];
  panel: PanelProcess;
  admin: Admin;

  private constructor(parts: {
    random: Random;
    transferServer: TransferServer;
    targets: Targets;
    client: ClientCore;
    panel: PanelProcess;
    admin: Admin;
  }) {
    this.random = parts.random;
    this.transferServer = parts.transferServer;
    this.#targets = parts.targets;
    this.#client = parts.client;
    this.panel = parts.panel;
    this.admin = parts.admin;
  }

  static async open(random: Random): Promise<TestBed> {
    const targets = await startTargets();
    const transferServer = await startTransferServer();
    const panel = await startPanel();
    const admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    const context = makeContext({ ...targets, targetPort: targets.port });
    const seeded = await addInbounds(admin, context);
    const entries = await Promise.all(seeded.map(({ added, seed }) => entryOf(panel, added, seed)));
    const client = await startClientCore(entries);
    const testBed = new TestBed({ random, transferServer, targets, client, panel, admin });
    const numbers = new Map(
      recorded(panel.dataDir, 'ClientAdded').map(({ data }) => [data.identity.email, data.client]),
    );
    for (const [index, { added, seed }] of seeded.entries()) {
      const lifetime = newLifetime(numbers.get(seed.email) ?? 0, `${added.one.name} ${seed.email}`);
      testBed.lifetimes.push(lifetime);
      testBed.apps.push(
        new ClientApp({ added, seed, lifetime, socks: client.socksPort(index), transferServer, random }),
      );
    }
    return testBed;
  }

  /** Ends the panel with a signal, and starts it again on the same data. */
  async restartPanel(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const { dataDir, ports, username, password } = this.panel;
    this.panel.kill(signal);
    await this.panel.exited;
    const next = await startPanel({ dataDir, ports, username, password });
    // The first panel created the folder and removes it.
    this.panel = { ...next, cleanUp: this.panel.cleanUp, stop: next.stop };
    this.admin = await next.admin();
  }

  /** Schedules work for some seconds later, between two other actions. */
  schedule(work: () => Promise<void>): void {
    this.#schedule.push({ at: Date.now() + this.random.integer(3000, 20_000), work });
  }

  /** Runs the scheduled work that is due; all of it if `every`. */
  async runScheduled(every = false): Promise<void> {
    const due = this.#schedule.filter(({ at }) => every || at <= Date.now());
    for (const one of due) {
      this.#schedule.splice(this.#schedule.indexOf(one), 1);
      await one.work();
    }
  }

  async close(): Promise<void> {
    for (const app of this.apps) app.stop();
    await this.panel.stop();
    await Promise.all([this.#client.stop(), this.panel.cleanUp(), this.#targets.stop(), this.transferServer.stop()]);
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
