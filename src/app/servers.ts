import { setTimeout as sleep } from 'node:timers/promises';
import type { CertificateKeeper } from '../adapters/tls/keeper.js';
import { asSystem } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import type { OwnPort } from '../commands/command.js';
import { Rejection } from '../commands/rejection.js';
import type { Config } from '../config.js';
import { type ServerName, serverNames } from '../events/certificate.js';
import type { PanelServer } from '../http/panel/server.js';
import type { Door, Doors } from '../http/server/door.js';
import type { SubscriptionServer } from '../http/subscription/subscription-server.js';
import { type Panel } from './panel.js';
import { keeperFor, recordPair, type ServersLog } from './server-certificates.js';
import { bareOf, bindFlaw, placeFlaw, samePlace, startFlaw, type Wish, WishFlaw, wishOf } from './server-wish.js';

/** Between the wish for a restart and the restart, so that the answer and the notification arrive. */
const GRACE_MS = 3000;
/** How often and how long apart an address that was given up in vain is asked back. */
const RETURN_TRIES = 20;
const RETURN_MS = 250;
const LOOPBACK = '127.0.0.1';

interface ServersParts {
  readonly panel: Panel;
  readonly config: Config;
  readonly log: ServersLog;
}

type Domains = Readonly<Record<ServerName, string>>;

/** A server as it stands. */
interface Berth {
  readonly doors: Doors;
  readonly keeper: CertificateKeeper;
  door: Door;
  wish: Wish;
}

/**
 * The two servers that browsers and client apps reach, at the addresses and with the certificates of the settings. A
 * restart makes them anew without the process: all new addresses are bound before any old one is given up.
 */
export class Servers {
  readonly #parts: ServersParts;
  readonly #following: { unsubscribe(): void };
  readonly #berths = new Map<ServerName, Berth>();
  #web: PanelServer | undefined;
  #basePath: string;
  #domains: Domains;
  #grace: NodeJS.Timeout | undefined;
  #underWay = false;
  #opsPort: OwnPort | undefined;

  constructor(parts: ServersParts) {
    this.#parts = parts;
    this.#basePath = this.#wantedBasePath();
    this.#domains = this.#wantedDomains();
    this.#following = parts.panel.read.changed$.subscribe((events) => {
      if (events.some(({ type }) => type === 'PanelRestartRequested')) this.#restartSoon();
    });
  }

  /** As it was at the last start or restart: a changed one counts from the next. */
  readonly basePath = (): string => this.#basePath;
  /** The names under which each server answers, like the base path; empty = any. */
  readonly domainOf = (name: ServerName): string => this.#domains[name];
  readonly restarting = (): boolean => this.#underWay;

  readonly ownPorts = (): readonly OwnPort[] => {
    const own = [...this.#berths].map(
      ([
        name,
        {
          door,
          wish: { listen },
        },
      ]) => ({
        port: door.address.port,
        listen,
        name: serverNames[name],
      }),
    );
    return this.#opsPort ? [...own, this.#opsPort] : own;
  };

  /** Binds both. Rejects with a sentence that says how to change an address that cannot be bound. */
  async open(web: PanelServer, sub: SubscriptionServer): Promise<void> {
    this.#web = web;
    for (const [name, { doors }] of [['panel', web] as const, ['subscription', sub] as const]) {
      const keeper = this.#keeper(name);
      const asked = await this.#wish(name, keeper);
      const wish = bareOf(asked) ? { ...asked, listen: LOOPBACK } : asked;
      const door = await this.#bound(doors, wish).catch((error: unknown) => {
        throw error instanceof WishFlaw ? new Error(startFlaw(error.cause, name, wish, this.#parts.config)) : error;
      });
      this.#berths.set(name, { doors, keeper, door, wish });
      this.#adopt(wish);
      keeper.start();
    }
    this.#parts.panel.setOwnPorts(this.ownPorts());
  }

  /** The health port, which no restart moves: with it all of them are open. */
  addOps(port: OwnPort): void {
    this.#opsPort = port;
    this.#settle();
  }

  /**
   * Why a restart would leave everything as it is: a certificate that is none, an address that cannot be had, by a real
   * bind. Null when all is well now; what others take before the restart is seen then.
   */
  async flaw(): Promise<string | null> {
    for (const [name, { keeper, wish: standing }] of this.#berths) {
      const wish = await this.#wish(name, keeper);
      if (bareOf(wish)) return `${wish.files?.certFile}: ${wish.standing.flaw}`;
      const why = samePlace(wish, standing) ? null : await placeFlaw(wish, this.ownPorts());
      if (why !== null) return why;
    }
    return null;
  }

  async close(): Promise<void> {
    this.#following.unsubscribe();
    clearTimeout(this.#grace);
    for (const { keeper } of this.#berths.values()) keeper.stop();
    await Promise.all([this.#web?.close(), this.#berths.get('subscription')?.doors.close()]);
  }

  /** What a signal asks for: the same as the admin's wish, and also when the log takes no more. */
  hangUp(): void {
    const done = this.#dispatch({ type: 'RestartPanel', data: { underWay: this.#underWay } });
    if (done instanceof Rejection && done.code !== 'RESTART_UNDER_WAY') this.#restartSoon();
  }

  /** Addresses that a person on this machine can open. */
  urls(): Readonly<Record<ServerName | 'ops', string>> {
    const ops = `http://${LOOPBACK}:${this.#opsPort?.port}`;
    return { panel: this.#url('panel'), subscription: this.#url('subscription'), ops };
  }

  /** What an admin must know about the certificates, as sentences. */
  warnings(): readonly string[] {
    return [...this.#berths].flatMap(([name, { wish }]) => {
      const { files, standing } = wish;
      if (standing.flaw === null || files === null) return [];
      const then =
        standing.pair === null
          ? `it listens on ${LOOPBACK} only, and without TLS`
          : 'it serves with the best one that it has';
      return [`the certificate of ${serverNames[name]} (${files.certFile}): ${standing.flaw}; ${then}`];
    });
  }

  #url(name: ServerName): string {
    const door = this.#berths.get(name)?.door;
    if (!door) return '';
    const { address, port, family } = door.address;
    const wildcard = address === '::' || address === '0.0.0.0';
    const host = wildcard ? LOOPBACK : family === 'IPv6' ? `[${address}]` : address;
    return `${door.secured ? 'https' : 'http'}://${host}:${port}`;
  }

  #restartSoon(): void {
    if (this.#underWay) return;
    this.#underWay = true;
    this.#grace = setTimeout(() => void this.#restart(), GRACE_MS);
  }

  async #restart(): Promise<void> {
    this.#underWay = true;
    try {
      await this.#rebind();
      this.#settle();
      const { panel, subscription } = this.#places();
      this.#dispatch({ type: 'RecordPanelRestarted', data: { panel, subscription } });
    } catch (error) {
      const server = error instanceof WishFlaw ? error.server : 'panel';
      const why = error instanceof Error ? error.message : String(error);
      const done = this.#dispatch({ type: 'RecordPanelRestartFailed', data: { server, why } });
      // The log of the panel repeats the event, if there is one.
      if (done instanceof Rejection)
        this.#parts.log.error({ server, why }, 'the servers could not be made anew and go on as they were');
    } finally {
      this.#underWay = false;
    }
  }

  /** All or nothing: the old doors close when every new one is open. */
  async #rebind(): Promise<void> {
    const wishes: Wish[] = [];
    for (const [name, { keeper }] of this.#berths) {
      const wish = await this.#wish(name, keeper);
      if (bareOf(wish)) throw new WishFlaw(name, `${wish.files?.certFile}: ${wish.standing.flaw}`);
      wishes.push(wish);
    }
    const moving = wishes.filter((wish) => !samePlace(wish, this.#berths.get(wish.name)?.wish));
    const opened = await this.#openAll(moving);
    const basePath = this.#wantedBasePath();
    if (opened.has('panel') || basePath !== this.#basePath) void this.#web?.sendAway();
    this.#basePath = basePath;
    this.#domains = this.#wantedDomains();
    for (const wish of wishes) {
      const berth = this.#berth(wish.name);
      const door = opened.get(wish.name);
      if (door) {
        void berth.doors.close(berth.door);
        berth.door = door;
      }
      berth.wish = wish;
      this.#adopt(wish);
    }
  }

  async #openAll(moving: readonly Wish[]): Promise<ReadonlyMap<ServerName, Door>> {
    const opened = new Map<ServerName, Door>();
    const released = new Set<Berth>();
    try {
      for (const wish of moving) {
        const { doors } = this.#berth(wish.name);
        opened.set(wish.name, await this.#bound(doors, wish, () => this.#makeRoom(wish.port, moving, released)));
      }
      return opened;
    } catch (error) {
      for (const [name, door] of opened) await this.#berth(name).doors.close(door);
      for (const berth of released) await this.#return(berth);
      throw error;
    }
  }

  /** Gives up a port that one of ours holds and leaves anyway: two servers that change places, or one that only narrows. */
  #makeRoom(port: number, moving: readonly Wish[], released: Set<Berth>): boolean {
    const holders = moving
      .map(({ name }) => this.#berth(name))
      .filter((berth) => !released.has(berth) && berth.door.address.port === port);
    for (const berth of holders) {
      berth.door.release();
      released.add(berth);
    }
    return holders.length > 0;
  }

  /** Takes back what was given up, with patience: somebody may have it for a moment. */
  async #return(berth: Berth): Promise<void> {
    const left = berth.door;
    for (let tries = 1; berth.door === left; tries += 1) {
      try {
        berth.door = await this.#bound(berth.doors, berth.wish);
      } catch (error) {
        if (tries === RETURN_TRIES) throw error;
        await sleep(RETURN_MS);
      }
    }
    void berth.doors.close(left);
  }

  async #bound(doors: Doors, wish: Wish, makeRoom?: () => boolean): Promise<Door> {
    const { name, listen, port, standing } = wish;
    try {
      return await doors.open(port, listen, standing.pair);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && makeRoom?.()) return this.#bound(doors, wish);
      throw new WishFlaw(name, bindFlaw(error, listen, port), error);
    }
  }

  /** The certificate of a server whose door is open. */
  #adopt({ name, files, standing }: Wish): void {
    const { door, keeper } = this.#berth(name);
    door.secure(standing.pair);
    keeper.use(files, standing);
    if (standing.pair && standing.flaw === null) recordPair(this.#parts.panel, name, standing.pair);
  }

  #keeper(name: ServerName): CertificateKeeper {
    const { panel, log } = this.#parts;
    return keeperFor(name, {
      panel,
      log,
      files: () => this.#berths.get(name)?.wish.files ?? null,
      loaded: (pair) => {
        const berth = this.#berth(name);
        const bare = bareOf(berth.wish);
        berth.wish = { ...berth.wish, standing: { pair, flaw: null } };
        // It hid because it had none.
        if (bare && !this.#underWay) void this.#restart();
        else berth.door.secure(pair);
      },
    });
  }

  #wish(name: ServerName, keeper: CertificateKeeper): Promise<Wish> {
    const { config, panel } = this.#parts;
    return wishOf(name, config, panel.read.settings(), keeper);
  }

  /** Tells everybody where the servers are now. */
  #settle(): void {
    const { panel, log } = this.#parts;
    panel.setOwnPorts(this.ownPorts());
    log.info(this.urls(), 'the servers listen');
  }

  #places() {
    const placeOf = (name: ServerName) => {
      const { door, wish } = this.#berth(name);
      return { listen: wish.listen, port: door.address.port, tls: door.secured };
    };
    return { panel: placeOf('panel'), subscription: placeOf('subscription') };
  }

  #berth(name: ServerName): Berth {
    const berth = this.#berths.get(name);
    if (!berth) throw new Error(`${serverNames[name]} is not open`);
    return berth;
  }

  #dispatch(command: AnyCommand) {
    return this.#parts.panel.dispatch(command, asSystem('servers'));
  }

  #wantedDomains(): Domains {
    const { webDomain, subDomain } = this.#parts.panel.read.settings();
    return { panel: webDomain, subscription: subDomain };
  }

  #wantedBasePath(): string {
    const { config, panel } = this.#parts;
    return `/${config.BASE_PATH ?? panel.read.settings().webBasePath}/`.replace(/\/{2,}/g, '/');
  }
}
