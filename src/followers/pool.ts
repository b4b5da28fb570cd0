import type { Server } from 'node:net';
import type { HttpLog } from '../http/server/http-log.js';
import type { Endpoint, Sharing } from '../http/server/listening/endpoint.js';
import type { MissLimiter } from '../http/server/miss-limiter.js';
import { FollowerProcess, type FollowerState } from './follower-process.js';
import type { FromFollower, KeyText, ToFollower } from './protocol.js';

/** Interval of the beats, in ms. */
const BEAT_MS = 500;

interface Parts {
  /** The number of processes. */
  readonly count: number;
  /** The file of the log. */
  readonly database: string;
  /** The position of the last event. */
  readonly head: () => number;
  readonly domain: () => string;
  /** Counts failed guesses in this process. */
  readonly misses: MissLimiter;
  readonly log: HttpLog;
  /** The processes or their states have changed. */
  readonly changed?: (followers: readonly FollowerStatus[]) => void;
}

export interface FollowerStatus {
  readonly pid: number | null;
  readonly state: FollowerState;
  /** Events that it had not read when it last answered. */
  readonly lag: number;
  readonly restarts: number;
}

/** An endpoint whose socket the followers have. */
interface Shared {
  readonly endpoint: Endpoint;
  /** The followers that accept its connections. */
  readonly by: Set<FollowerProcess>;
  /** The follower that was asked for a copy of the socket. */
  asked: FollowerProcess | null;
}

/**
 * The followers of the subscription server: processes that accept its connections and read the log by themselves. They are
 * started with the first connection. While one of them answers, the panel accepts none; otherwise it serves by itself.
 */
export class FollowerPool implements Sharing {
  readonly #parts: Parts;
  readonly #followers: readonly FollowerProcess[];
  readonly #shared = new Map<number, Shared>();
  #endpoints = 0;
  #beats: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#followers = Array.from({ length: parts.count }, () => this.#follower());
  }

  /** None before they have started. */
  readonly followers = (): readonly FollowerStatus[] => {
    if (this.#beats === undefined) return [];
    const head = this.#parts.head();
    return this.#followers.map(({ pid, state, position, restarts }) => {
      return { pid, state, restarts, lag: state === 'stopped' ? head : Math.max(0, head - position) };
    });
  };

  used(): void {
    if (this.#beats !== undefined || this.#closed) return;
    this.#beats = setInterval(() => this.#followers.forEach((follower) => follower.beat()), BEAT_MS).unref();
    for (const follower of this.#followers) follower.start();
  }

  opened(endpoint: Endpoint): void {
    const number = ++this.#endpoints;
    this.#shared.set(number, { endpoint, by: new Set(), asked: null });
    for (const follower of this.#followers) if (follower.state === 'ready') this.#serve(follower, number);
  }

  secured(endpoint: Endpoint): void {
    for (const [number, shared] of this.#shared) {
      if (shared.endpoint !== endpoint) continue;
      for (const follower of shared.by) follower.send({ kind: 'secure', endpoint: number, key: keyOf(endpoint) });
    }
  }

  async released(endpoint: Endpoint): Promise<void> {
    for (const [number, shared] of this.#shared) {
      if (shared.endpoint !== endpoint) continue;
      this.#shared.delete(number);
      await this.#tell({ kind: 'leave', endpoint: number });
    }
  }

  renamed(domain: string): Promise<void> {
    return this.#tell({ kind: 'domain', domain });
  }

  /** Counts failed guesses of this process in the others. */
  readonly missed = (network: string): void => this.#spread([network]);

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#beats);
    await Promise.all(this.#followers.map((follower) => follower.close()));
  }

  #follower(): FollowerProcess {
    const follower: FollowerProcess = new FollowerProcess(this.#parts.database, {
      ready: () => [...this.#shared.keys()].forEach((number) => this.#serve(follower, number)),
      received: (message, handle) => this.#receive(follower, message, handle),
      changed: () => this.#changed(follower),
      warn: (fields, message) => this.#parts.log.warn(fields, message),
    });
    return follower;
  }

  /** Resolves when every follower that runs has handled the message. */
  async #tell(message: ToFollower): Promise<void> {
    await Promise.all(
      this.#followers.map((follower) => {
        follower.send(message);
        return follower.settled();
      }),
    );
  }

  #serve(follower: FollowerProcess, number: number): void {
    const endpoint = this.#shared.get(number)?.endpoint;
    const handle = endpoint?.front.handle;
    if (!endpoint || !handle) return;
    follower.send({ kind: 'serve', endpoint: number, domain: this.#parts.domain(), key: keyOf(endpoint) }, handle);
  }

  #receive(follower: FollowerProcess, message: FromFollower, handle: Server | undefined): void {
    const { misses, log } = this.#parts;
    switch (message.kind) {
      case 'serving':
        this.#shared.get(message.endpoint)?.by.add(follower);
        return this.#settle();
      case 'copy':
        return this.#copied(message.endpoint, handle);
      case 'misses':
        for (const network of message.networks) misses.count(network);
        return this.#spread(message.networks, follower);
      case 'log':
        return log[message.level]({ ...message.fields, follower: follower.pid }, message.message);
      default:
    }
  }

  #spread(networks: readonly string[], from?: FollowerProcess): void {
    for (const follower of this.#followers)
      if (follower !== from && follower.state === 'ready') follower.send({ kind: 'misses', networks });
  }

  #changed(follower: FollowerProcess): void {
    if (follower.state === 'stopped' || follower.state === 'starting') {
      for (const shared of this.#shared.values()) {
        shared.by.delete(follower);
        if (shared.asked === follower) shared.asked = null;
      }
    }
    this.#settle();
    this.#parts.changed?.(this.followers());
  }

  /** Accepts connections in this process where no follower answers, and leaves them to the followers elsewhere. */
  #settle(): void {
    for (const [number, shared] of this.#shared) {
      const { endpoint, by } = shared;
      const able = [...by].find(({ state }) => state === 'ready');
      if (!able) {
        shared.asked = null;
        endpoint.front.resume();
      } else if (!endpoint.front.isPaused && shared.asked === null) {
        shared.asked = able;
        able.send({ kind: 'copy', endpoint: number });
      }
    }
  }

  #copied(number: number, handle: Server | undefined): void {
    const shared = this.#shared.get(number);
    if (shared && handle && shared.asked !== null) shared.endpoint.front.pause(handle);
    else handle?.close();
    if (shared) shared.asked = null;
  }
}

function keyOf({ key }: Endpoint): KeyText | null {
  return key && { cert: key.cert.toString(), key: key.key.toString() };
}
