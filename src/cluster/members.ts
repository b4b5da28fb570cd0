import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MissingFile } from '../commands/ports/cluster/shared-files.js';
import {
  type BatchStream,
  ClusterAway,
  type LogServer,
  type MemberReport,
  type MemberReports,
  type MemberRole,
  type ReportedMember,
  WrongSequence,
} from '../commands/ports/cluster.js';
import { MessageError } from '../messages/error.js';
import { message } from '../messages/message.js';
import type { MemberState } from './member-state.js';

/** How often a member reports, and reads the reports of the others, in ms. */
const BEAT_MS = 1000;
/** How long a start watches whether another process reports under its name, in ms. */
const CLAIM_MS = 2500;
const LOOK_MS = 250;

/** Host and port of the servers of a panel; null = not open yet. */
export interface Addresses {
  readonly panel: string | null;
  readonly subscription: string | null;
}

/** What a member reports of its machine. */
export interface ReportedMachine extends Addresses {
  /** What it could not install. */
  readonly missingFiles: readonly MissingFile[];
}

interface Parts {
  readonly name: string;
  /** Of the panel. */
  readonly version: string;
  /** The data directory: with the host, it tells two processes with one name apart. */
  readonly root: string;
  readonly reports: MemberReports;
  readonly stream: Pick<BatchStream, 'servers' | 'ends'>;
  readonly now: () => number;
}

/** What a member reports of its state. */
export interface ReportedState extends Pick<MemberState, 'position' | 'sequence' | 'acknowledged' | 'unknownAt'> {
  readonly role: MemberRole;
  /** The leader as this member last saw it; null = unknown. */
  readonly leader?: string | null;
}

interface Running {
  readonly state: () => ReportedState;
  readonly machine: () => ReportedMachine;
  /** Another process reports under this name. */
  readonly taken: (host: string) => void;
  readonly warn: (message: string, fields?: object) => void;
}

/** Reports what this member is, and knows what the others have reported. */
export class Members {
  readonly #parts: Parts;
  readonly #instance = randomUUID();
  readonly #home: string;
  readonly #since: number;
  #revision = 0;
  #running: Running | null = null;
  #stopped = false;
  #behindAt: number | null = null;
  /** It has handed over, and none leads yet that it knows of. */
  #handedOver = false;
  #reported: readonly ReportedMember[] = [];
  #servers: readonly LogServer[] | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#home = `${hostname()}:${parts.root}:${statSync(parts.root).ino}`;
    this.#since = parts.now();
  }

  /** The reports as this member last read them. */
  get reported(): readonly ReportedMember[] {
    return this.#reported;
  }

  /** The servers with a copy of the log; null = they have no quorum, or do not answer. */
  get servers(): readonly LogServer[] | null {
    return this.#servers;
  }

  /** Reads the reports now. */
  async read(): Promise<readonly ReportedMember[]> {
    this.#reported = await this.#parts.reports.all();
    return this.#reported;
  }

  /** Throws `MessageError` when a process on another machine, or with another data directory, has the same name. */
  async claim(): Promise<void> {
    const { name, reports } = this.#parts;
    const found = await reports.get(name);
    this.#revision = found?.revision ?? 0;
    if (found === null || found.home === this.#home || found.state !== 'running') return;
    const until = performance.now() + CLAIM_MS;
    while (performance.now() < until) {
      await sleep(LOOK_MS);
      const { revision = 0, state = 'stopped' } = (await reports.get(name)) ?? {};
      if (revision !== this.#revision && state === 'running')
        throw new MessageError(message('start.clusterNameTaken', { member: name, host: found.host }));
    }
  }

  /** Reports until `leave` is called. */
  begin(running: Running): void {
    this.#running = running;
    void this.#run(running);
  }

  async #run({ warn }: Running): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#beat();
      } catch (error) {
        this.#servers = null;
        if (!(error instanceof ClusterAway))
          warn('this member could not report to the others', { error: String(error) });
      }
      await sleep(BEAT_MS);
    }
  }

  async #beat(): Promise<void> {
    const { stream } = this.#parts;
    const { last } = await stream.ends();
    const { role, sequence } = (this.#running as Running).state();
    const isBehind = role !== 'leader' && sequence < last;
    this.#behindAt = isBehind ? (this.#behindAt ?? performance.now()) : null;
    if (!this.#stopped) await this.#report('running');
    await this.read();
    this.#servers = await stream.servers();
  }

  async #report(state: MemberReport['state']): Promise<void> {
    const { name, version, reports, now } = this.#parts;
    const running = this.#running as Running;
    const { role, position, acknowledged, unknownAt, leader = null } = running.state();
    this.#handedOver &&= role === 'leader' || leader === null || leader === name;
    const shown = this.#handedOver ? 'handedOver' : state;
    const lagMs = this.#behindAt === null ? 0 : Math.round(performance.now() - this.#behindAt);
    const own = { name, instance: this.#instance, home: this.#home, host: hostname(), version, since: this.#since };
    try {
      this.#revision = await reports.put(
        { ...own, role, state: shown, position, acknowledged, unknownAt, lagMs, at: now(), ...running.machine() },
        this.#revision,
      );
    } catch (error) {
      if (!(error instanceof WrongSequence)) throw error;
      // The answer to the last report was lost, the report was removed, or another process has written.
      const found = await reports.get(name);
      const isOther = found !== null && found.instance !== this.#instance && found.home !== this.#home;
      if (isOther && found.state === 'running') running.taken(found.host);
      else this.#revision = found?.revision ?? 0;
    }
  }

  /** Reports that the next leader leads because this one hands over. */
  async handOver(): Promise<void> {
    this.#handedOver = true;
    // The first one may meet a report that is on its way.
    for (let n = 0; n < 2; n += 1) await this.#report('handedOver').catch(() => undefined);
  }

  /** Reports for the last time. */
  async leave(): Promise<void> {
    if (this.#stopped || this.#running === null) return;
    this.#stopped = true;
    await this.#report('stopped').catch(() => undefined);
  }
}
