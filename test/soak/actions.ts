import { type Added, clientBody, keyOf, recorded, wireOf } from '../e2e/support.js';
import { must } from '../kit/real/panel-process.js';
import type { ClientApp } from './client-app.js';
import { type ClientLifetime, newLifetime, type Traffic, zero } from './client-lifetime.js';
import type { TestBed } from './test-bed.js';

/** The relative frequency of each action. */
export const WEIGHTS = {
  changeEmail: 4,
  swapEmails: 3,
  passEmail: 3,
  replaceClient: 5,
  resetClient: 5,
  resetInbound: 1,
  resetAll: 1,
  setCounter: 2,
  setCap: 3,
  setExpiry: 2,
  disable: 3,
  replaceInbound: 2,
  disableInboundBriefly: 0.5,
  restartCore: 0.4,
  stopPanel: 0.2,
  killPanel: 1,
} as const;
export type Action = keyof typeof WEIGHTS;

/** ms after a reply of the panel until the core has applied the change. */
const SETTLE_MS = 1_500;
const api = '/panel/api/inbounds';

/** The actions of admins on the clients of the apps, with their effect on the expected counters. */
export class Actions {
  readonly #testBed: TestBed;
  #names = 0;

  constructor(testBed: TestBed) {
    this.#testBed = testBed;
  }

  do(action: Action): Promise<void> {
    return this[action]();
  }

  /** Changes the email of a client right after a transfer. */
  async changeEmail(): Promise<void> {
    const [app] = await this.#pauseApps(1);
    if (app) await this.#setEmail(app, this.#newEmail());
    app?.resume();
  }

  /** Swaps the emails of two clients. */
  async swapEmails(): Promise<void> {
    const [one, two] = await this.#pauseApps(2);
    if (one && two) {
      const [first, second] = [one.seed.email, two.seed.email];
      await this.#setEmail(one, this.#newEmail());
      await this.#setEmail(two, first);
      await this.#setEmail(one, second);
    }
    for (const app of [one, two]) app?.resume();
  }

  /** Changes the email of a client, and gives the old one to another client. */
  async passEmail(): Promise<void> {
    const [one, two] = await this.#pauseApps(2);
    if (one && two) {
      const { email } = one.seed;
      await this.#setEmail(one, this.#newEmail());
      await this.#setEmail(two, email);
    }
    for (const app of [one, two]) app?.resume();
  }

  /** Deletes a client, and adds another one with the same email and credential. */
  async replaceClient(): Promise<void> {
    const { random } = this.#testBed;
    const paused = random.chance(0.6);
    const [app] = paused ? await this.#pauseApps(1) : [this.#anyApp()];
    if (!app) return;
    const from = Date.now();
    const { id, one } = app.added;
    await this.#post(`${api}/${id}/delClientByEmail/${encodeURIComponent(app.seed.email)}`);
    app.seed = { ...app.seed, totalGB: 0, expiryTime: 0, enable: true };
    await this.#post(`${api}/addClient`, clientBody(id, wireOf(one, app.seed)));
    await this.#clientsReplaced([app], from);
    if (paused) app.resume();
  }

  async resetClient(): Promise<void> {
    const paused = this.#testBed.random.chance(0.7);
    const [app] = paused ? await this.#pauseApps(1) : [this.#anyApp()];
    if (!app) return;
    const idle = app.open.size === 0;
    await this.#post(`${api}/${app.added.id}/resetClientTraffic/${encodeURIComponent(app.seed.email)}`);
    app.counterChanged(zero, paused && idle);
    if (paused) app.resume();
  }

  /** Resets all clients of an inbound. */
  async resetInbound(): Promise<void> {
    const { id } = this.#anyApp().added;
    await this.#resetMany(
      this.#testBed.apps.filter(({ added }) => added.id === id),
      `${api}/resetAllClientTraffics/${id}`,
    );
  }

  async resetAll(): Promise<void> {
    await this.#resetMany(this.#testBed.apps, `${api}/resetAllClientTraffics/-1`);
  }

  async setCounter(): Promise<void> {
    const { random } = this.#testBed;
    const [app] = await this.#pauseApps(1);
    if (!app) return;
    const value: Traffic = { up: random.logUniform(1e9), down: random.logUniform(1e9) };
    const body = { upload: value.up, download: value.down };
    await this.#post(`${api}/updateClientTraffic/${encodeURIComponent(app.seed.email)}`, body);
    app.counterChanged(value, true);
    app.resume();
  }

  /** Sets a cap that is soon reached, and removes it later. */
  async setCap(): Promise<void> {
    const app = this.#anyApp();
    const traffics = `${api}/getClientTraffics/${encodeURIComponent(app.seed.email)}`;
    const { up, down } = await must(this.#testBed.admin.get<Traffic>(traffics));
    await this.#setLimit(app, { totalGB: up + down + this.#testBed.random.integer(1, 2_000_000) });
    this.#revertLater(app, { totalGB: 0 });
  }

  async setExpiry(): Promise<void> {
    const app = this.#anyApp();
    await this.#setLimit(app, { expiryTime: Date.now() + this.#testBed.random.integer(500, 6000) });
    this.#revertLater(app, { expiryTime: 0 });
  }

  async disable(): Promise<void> {
    const app = this.#anyApp();
    await this.#update(app, { enable: false });
    this.#revertLater(app, { enable: true });
  }

  /** Deletes an inbound, and adds one with the same tag, port and clients. */
  async replaceInbound(): Promise<void> {
    const { random, apps, admin } = this.#testBed;
    const { added } = this.#anyApp();
    const inside = apps.filter((app) => app.added.id === added.id);
    const paused = random.chance(0.6);
    if (paused) await Promise.all(inside.map((app) => app.pause()));
    if (paused) for (const app of inside) await app.transferBriefly();
    const from = Date.now();
    await this.#post(`${api}/del/${added.id}`);
    for (const app of inside) app.seed = { ...app.seed, totalGB: 0, expiryTime: 0, enable: true };
    const body = added.one.body(
      added.port,
      inside.map(({ seed }) => seed),
    );
    const { id } = await must(admin.post<{ id: number }>(`${api}/add`, body));
    const next: Added = { ...added, id };
    for (const app of inside) app.added = next;
    await this.#clientsReplaced(inside, from);
    if (paused) for (const app of inside) app.resume();
  }

  async disableInboundBriefly(): Promise<void> {
    const { id } = this.#anyApp().added;
    await this.#post(`${api}/setEnable/${id}`, { enable: false });
    await sleep(this.#testBed.random.integer(200, 4000));
    await this.#post(`${api}/setEnable/${id}`, { enable: true });
  }

  restartCore(): Promise<void> {
    return this.#stopping(() => this.#post('/panel/api/server/restartCoreService'));
  }

  stopPanel(): Promise<void> {
    return this.#stopping(() => this.#testBed.restartPanel('SIGTERM'));
  }

  /** Stops the core gracefully, often while all traffic is paused. */
  async #stopping(stop: () => Promise<unknown>): Promise<void> {
    const { random, apps } = this.#testBed;
    const paused = random.chance(0.7);
    if (paused) await Promise.all(apps.map((app) => app.pause()));
    else for (const app of apps) app.coreStopping();
    const from = Date.now();
    await stop();
    this.#testBed.requestedStops.push({ from, to: Date.now() });
    for (const app of apps)
      if (paused) app.resume();
      else app.coreStarted();
  }

  killPanel(): Promise<void> {
    return this.#testBed.restartPanel('SIGKILL');
  }

  /** Pauses apps, waits until all their connections are closed, and makes one transfer with each, so that the caller can act at once. */
  async #pauseApps(count: number): Promise<ClientApp[]> {
    const { random, apps } = this.#testBed;
    const chosen = new Set<ClientApp>();
    while (chosen.size < Math.min(count, apps.length)) chosen.add(random.pick(apps));
    const paused = [...chosen];
    await Promise.all(paused.map((app) => app.pause()));
    await Promise.all(paused.map((app) => app.transferBriefly()));
    return paused;
  }

  #anyApp(): ClientApp {
    return this.#testBed.random.pick(this.#testBed.apps);
  }

  #newEmail(): string {
    this.#names += 1;
    return `name-${this.#names}`;
  }

  #post(path: string, body: unknown = {}): Promise<unknown> {
    return must(this.#testBed.admin.post(path, body));
  }

  async #update(app: ClientApp, over: Partial<ClientApp['seed']>): Promise<void> {
    const { id, one } = app.added;
    const key = encodeURIComponent(keyOf(one, app.seed));
    const seed = { ...app.seed, ...over };
    await this.#post(`${api}/updateClient/${key}`, clientBody(id, wireOf(one, seed)));
    app.seed = seed;
  }

  #setEmail(app: ClientApp, email: string): Promise<void> {
    return this.#update(app, { email });
  }

  async #setLimit(app: ClientApp, over: Partial<ClientApp['seed']>): Promise<void> {
    app.lifetime.mayBeDepleted = true;
    await this.#update(app, over);
  }

  /** Reverts a change after some other actions, unless the client was replaced. */
  #revertLater(app: ClientApp, over: Partial<ClientApp['seed']>): void {
    const { lifetime } = app;
    this.#testBed.schedule(async () => {
      if (app.lifetime === lifetime) await this.#update(app, over);
    });
  }

  async #resetMany(apps: readonly ClientApp[], path: string): Promise<void> {
    const idle = new Set(apps.filter(({ open }) => open.size === 0));
    const opened = new Map(apps.map((app) => [app, app.lifetime.connections.length]));
    await this.#post(path);
    for (const app of apps)
      app.counterChanged(zero, idle.has(app) && opened.get(app) === app.lifetime.connections.length);
  }

  /** Records that new clients have the credentials of these apps; the core follows a moment later. */
  async #clientsReplaced(apps: readonly ClientApp[], from: number): Promise<void> {
    const added = recorded(this.#testBed.panel.dataDir, 'ClientAdded');
    const previous: [ClientApp, ClientLifetime][] = [];
    for (const app of apps) {
      const number = added.findLast(({ data }) => data.identity.email === app.seed.email)?.data.client;
      if (number === undefined) throw new Error(`${app.seed.email} was added and is not in the log`);
      previous.push([app, app.lifetime]);
      app.replaceClient(newLifetime(number, `${app.name} ${app.seed.email}`), from);
      this.#testBed.lifetimes.push(app.lifetime);
    }
    await sleep(SETTLE_MS);
    for (const [app, lifetime] of previous) app.markAmbiguous(from, lifetime);
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
