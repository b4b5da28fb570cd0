import { type Added, clientBody, keyOf, recorded, wireOf } from '../e2e/support.js';
import { must } from '../kit/real/panel-process.js';
import { type Life, newLife, nothing, type Pair } from './ledger.js';
import type { Seat } from './seat.js';
import type { World } from './world.js';

/** How often each is done, relative to the others. */
export const WEIGHTS = {
  rename: 4,
  swap: 3,
  handOver: 3,
  replace: 5,
  reset: 5,
  resetInbound: 1,
  resetAll: 1,
  adjust: 2,
  cap: 3,
  expire: 2,
  switchOff: 3,
  replaceInbound: 2,
  switchInbound: 0.5,
  restartCore: 0.4,
  stopPanel: 0.2,
  killPanel: 1,
} as const;
export type Deed = keyof typeof WEIGHTS;

/** In ms: by then the core has been told what the panel has answered, and what is shut out is shut out. */
const SETTLED = 1_500;
const api = '/panel/api/inbounds';

/** What admins do to the clients of the seats, at any moment, each entered into the books. */
export class Deeds {
  readonly #world: World;
  #names = 0;

  constructor(world: World) {
    this.#world = world;
  }

  do(deed: Deed): Promise<void> {
    return this[deed]();
  }

  /** A new email for a client, right after it has moved something. */
  async rename(): Promise<void> {
    const [seat] = await this.#sharply(1);
    if (seat) await this.#email(seat, this.#freshName());
    seat?.release();
  }

  /** Two clients get each other's email. */
  async swap(): Promise<void> {
    const [one, two] = await this.#sharply(2);
    if (one && two) {
      const [first, second] = [one.seed.email, two.seed.email];
      await this.#email(one, this.#freshName());
      await this.#email(two, first);
      await this.#email(one, second);
    }
    for (const seat of [one, two]) seat?.release();
  }

  /** A client gets another email, and another client the one that it had. */
  async handOver(): Promise<void> {
    const [one, two] = await this.#sharply(2);
    if (one && two) {
      const { email } = one.seed;
      await this.#email(one, this.#freshName());
      await this.#email(two, email);
    }
    for (const seat of [one, two]) seat?.release();
  }

  /** A client is deleted, and another one added with the same email and credential. */
  async replace(): Promise<void> {
    const { chance } = this.#world;
    const sharp = chance.is(0.6);
    const [seat] = sharp ? await this.#sharply(1) : [this.#anyone()];
    if (!seat) return;
    const from = Date.now();
    const { id, one } = seat.added;
    await this.#post(`${api}/${id}/delClientByEmail/${encodeURIComponent(seat.seed.email)}`);
    seat.seed = { ...seat.seed, totalGB: 0, expiryTime: 0, enable: true };
    await this.#post(`${api}/addClient`, clientBody(id, wireOf(one, seat.seed)));
    await this.#succeeded([seat], from);
    if (sharp) seat.release();
  }

  async reset(): Promise<void> {
    const sharp = this.#world.chance.is(0.7);
    const [seat] = sharp ? await this.#sharply(1) : [this.#anyone()];
    if (!seat) return;
    const idle = seat.open.size === 0;
    await this.#post(`${api}/${seat.added.id}/resetClientTraffic/${encodeURIComponent(seat.seed.email)}`);
    seat.counterSet(nothing, sharp && idle);
    if (sharp) seat.release();
  }

  /** All clients of an inbound. */
  async resetInbound(): Promise<void> {
    const { id } = this.#anyone().added;
    await this.#resetMany(
      this.#world.seats.filter(({ added }) => added.id === id),
      `${api}/resetAllClientTraffics/${id}`,
    );
  }

  async resetAll(): Promise<void> {
    await this.#resetMany(this.#world.seats, `${api}/resetAllClientTraffics/-1`);
  }

  async adjust(): Promise<void> {
    const { chance } = this.#world;
    const [seat] = await this.#sharply(1);
    if (!seat) return;
    const value: Pair = { up: chance.size(1e9), down: chance.size(1e9) };
    const body = { upload: value.up, download: value.down };
    await this.#post(`${api}/updateClientTraffic/${encodeURIComponent(seat.seed.email)}`, body);
    seat.counterSet(value, true);
    seat.release();
  }

  /** A cap that is reached in a moment; lifted after a while. */
  async cap(): Promise<void> {
    const seat = this.#anyone();
    const traffics = `${api}/getClientTraffics/${encodeURIComponent(seat.seed.email)}`;
    const { up, down } = await must(this.#world.admin.get<Pair>(traffics));
    await this.#limit(seat, { totalGB: up + down + this.#world.chance.whole(1, 2_000_000) });
    this.#later(seat, { totalGB: 0 });
  }

  async expire(): Promise<void> {
    const seat = this.#anyone();
    await this.#limit(seat, { expiryTime: Date.now() + this.#world.chance.whole(500, 6000) });
    this.#later(seat, { expiryTime: 0 });
  }

  async switchOff(): Promise<void> {
    const seat = this.#anyone();
    await this.#update(seat, { enable: false });
    this.#later(seat, { enable: true });
  }

  /** An inbound is deleted, and one with the same tag, port and clients added. */
  async replaceInbound(): Promise<void> {
    const { chance, seats, admin } = this.#world;
    const { added } = this.#anyone();
    const inside = seats.filter((seat) => seat.added.id === added.id);
    const sharp = chance.is(0.6);
    if (sharp) await Promise.all(inside.map((seat) => seat.hold()));
    if (sharp) for (const seat of inside) await seat.carryOne();
    const from = Date.now();
    await this.#post(`${api}/del/${added.id}`);
    for (const seat of inside) seat.seed = { ...seat.seed, totalGB: 0, expiryTime: 0, enable: true };
    const body = added.one.body(
      added.port,
      inside.map(({ seed }) => seed),
    );
    const { id } = await must(admin.post<{ id: number }>(`${api}/add`, body));
    const next: Added = { ...added, id };
    for (const seat of inside) seat.added = next;
    await this.#succeeded(inside, from);
    if (sharp) for (const seat of inside) seat.release();
  }

  async switchInbound(): Promise<void> {
    const { id } = this.#anyone().added;
    await this.#post(`${api}/setEnable/${id}`, { enable: false });
    await pause(this.#world.chance.whole(200, 4000));
    await this.#post(`${api}/setEnable/${id}`, { enable: true });
  }

  restartCore(): Promise<void> {
    return this.#stopping(() => this.#post('/panel/api/server/restartCoreService'));
  }

  stopPanel(): Promise<void> {
    return this.#stopping(() => this.#world.restartPanel('SIGTERM'));
  }

  /** A core is stopped in order, now and then while nobody uses it. */
  async #stopping(stop: () => Promise<unknown>): Promise<void> {
    const { chance, seats } = this.#world;
    const quiet = chance.is(0.7);
    if (quiet) await Promise.all(seats.map((seat) => seat.hold()));
    else for (const seat of seats) seat.beginStop();
    const from = Date.now();
    await stop();
    this.#world.asked.push({ from, to: Date.now() });
    for (const seat of seats)
      if (quiet) seat.release();
      else seat.endStop();
  }

  killPanel(): Promise<void> {
    return this.#world.restartPanel('SIGKILL');
  }

  /** Holds seats until nothing of theirs is open, lets each move something, and goes on in the moment in which that is over. */
  async #sharply(count: number): Promise<Seat[]> {
    const { chance, seats } = this.#world;
    const chosen = new Set<Seat>();
    while (chosen.size < Math.min(count, seats.length)) chosen.add(chance.one(seats));
    const held = [...chosen];
    await Promise.all(held.map((seat) => seat.hold()));
    await Promise.all(held.map((seat) => seat.carryOne()));
    return held;
  }

  #anyone(): Seat {
    return this.#world.chance.one(this.#world.seats);
  }

  #freshName(): string {
    this.#names += 1;
    return `name-${this.#names}`;
  }

  #post(path: string, body: unknown = {}): Promise<unknown> {
    return must(this.#world.admin.post(path, body));
  }

  async #update(seat: Seat, over: Partial<Seat['seed']>): Promise<void> {
    const { id, one } = seat.added;
    const key = encodeURIComponent(keyOf(one, seat.seed));
    const seed = { ...seat.seed, ...over };
    await this.#post(`${api}/updateClient/${key}`, clientBody(id, wireOf(one, seed)));
    seat.seed = seed;
  }

  #email(seat: Seat, email: string): Promise<void> {
    return this.#update(seat, { email });
  }

  async #limit(seat: Seat, over: Partial<Seat['seed']>): Promise<void> {
    seat.keyVersion.mayDeplete = true;
    await this.#update(seat, over);
  }

  /** Undone when some other deeds were done; nothing is to be undone for another life. */
  #later(seat: Seat, over: Partial<Seat['seed']>): void {
    const { keyVersion } = seat;
    this.#world.later(async () => {
      if (seat.keyVersion === keyVersion) await this.#update(seat, over);
    });
  }

  async #resetMany(seats: readonly Seat[], path: string): Promise<void> {
    const idle = new Set(seats.filter(({ open }) => open.size === 0));
    const opened = new Map(seats.map((seat) => [seat, seat.keyVersion.carried.length]));
    await this.#post(path);
    for (const seat of seats)
      seat.counterSet(nothing, idle.has(seat) && opened.get(seat) === seat.keyVersion.carried.length);
  }

  /** New clients have the credentials of these seats; the core is told a moment later. */
  async #succeeded(seats: readonly Seat[], from: number): Promise<void> {
    const added = recorded(this.#world.panel.dataDir, 'ClientAdded');
    const former: [Seat, Life][] = [];
    for (const seat of seats) {
      const number = added.findLast(({ data }) => data.identity.email === seat.seed.email)?.data.client;
      if (number === undefined) throw new Error(`${seat.seed.email} was added and is not in the log`);
      former.push([seat, seat.keyVersion]);
      seat.succeed(newLife(number, `${seat.name} ${seat.seed.email}`), from);
      this.#world.lives.push(seat.keyVersion);
    }
    await pause(SETTLED);
    for (const [seat, keyVersion] of former) seat.doubt(from, keyVersion);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
