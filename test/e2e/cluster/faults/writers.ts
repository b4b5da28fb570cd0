import { pause } from '../../../kit/wait.js';
import type { History, Outcome, Read, Write } from './history.js';
import { bearer, clientBody, type FaultyMember } from './three.js';

const ADD = '/panel/api/inbounds/addClient';
/** How long a writer waits for an answer, in ms. A paused member answers later. */
const ANSWER_MS = 20_000;
/** Pause of a writer between two changes, in ms: the machine also runs the members and the servers. */
const PAUSE_MS = 100;
/** Pause of a writer before it repeats a change, in ms. */
const RETRY_MS = 200;

/** Codes of answers after which the change has certainly not taken effect. */
const REFUSALS = ['CLUSTER_NO_LEADER', 'CLUSTER_UNAVAILABLE', 'CLUSTER_FOLLOWER', 'STORAGE_FULL'];
/** Codes of answers after which it may have. */
const UNKNOWN = ['CHANGE_UNCONFIRMED', 'ANSWER_LOST'];

interface Sent {
  readonly headers: Record<string, string>;
  readonly body: string;
}

interface WriterOptions {
  readonly count: number;
  /** How many of them repeat a change with the same `Idempotency-Key` until it is acknowledged, and for how long, in ms. */
  readonly repeating: number;
  readonly repeatMs: number;
}

/** Callers that add clients at random members and read what they have written at others, until they are stopped. */
export class Writers {
  readonly #members: readonly FaultyMember[];
  readonly #token: string;
  readonly #writes: Write[] = [];
  readonly #reads: Read[] = [];
  readonly #unexpected: string[] = [];
  readonly #running: Promise<void>[];
  #stopped = false;

  constructor(members: readonly FaultyMember[], token: string, { count, repeating, repeatMs }: WriterOptions) {
    [this.#members, this.#token] = [members, token];
    this.#running = Array.from({ length: count }, (_, n) => this.#write(n, n < repeating ? repeatMs : 0));
  }

  get acknowledged(): number {
    return this.#writes.filter(({ outcome }) => outcome === 'acknowledged').length;
  }

  /** The highest position that was acknowledged. */
  get position(): number {
    return this.#writes.reduce((highest, { position }) => Math.max(highest, position), 0);
  }

  /** Ends after the answers to all requests. `unexpected`: answers that no caller should get. */
  async stop(): Promise<History & { readonly unexpected: readonly string[] }> {
    this.#stopped = true;
    await Promise.all(this.#running);
    return { writes: this.#writes, reads: this.#reads, unexpected: this.#unexpected };
  }

  #any(): FaultyMember {
    return this.#members[Math.floor(Math.random() * this.#members.length)] as FaultyMember;
  }

  async #write(writer: number, repeatMs: number): Promise<void> {
    for (let n = 0; !this.#stopped; n += 1) {
      const write = await this.#addRepeatedly(`w${writer}-${n}`, repeatMs);
      this.#writes.push(write);
      if (write.outcome === 'acknowledged' && n % 4 === 0) await this.#read(write);
      await pause(Math.random() * 2 * PAUSE_MS);
    }
  }

  async #addRepeatedly(email: string, repeatMs: number): Promise<Write> {
    const began = performance.now();
    // A repeated request must be the same one: the body has a random UUID.
    const body = JSON.stringify(clientBody(email));
    const type = { 'content-type': 'application/json' };
    const headers = repeatMs > 0 ? { ...type, 'idempotency-key': `add-${email}` } : type;
    for (let isUnknown = false; ; ) {
      const write = await this.#add(email, { headers, body }, began);
      isUnknown ||= write.outcome === 'unknown';
      if (write.outcome === 'acknowledged') return write;
      // An earlier attempt may have taken effect.
      if (performance.now() - began > repeatMs) return isUnknown ? { ...write, outcome: 'unknown' } : write;
      await pause(RETRY_MS);
    }
  }

  async #add(email: string, sent: Sent, began: number): Promise<Write> {
    const done = (outcome: Outcome, position = 0, hash = ''): Write => ({
      ...{ email, began, ended: performance.now(), outcome, position, hash },
    });
    try {
      const admin = bearer(this.#any(), this.#token, ANSWER_MS);
      const answer = await admin.raw('POST', ADD, sent);
      const text = await answer.text();
      const { success, code = '' } = JSON.parse(text) as { readonly success: boolean; readonly code?: string };
      const { headers } = answer;
      if (success)
        return done('acknowledged', Number(headers.get('x-portolan-position')), headers.get('x-portolan-hash') ?? '');
      if (REFUSALS.includes(code)) return done('refused');
      if (!UNKNOWN.includes(code)) this.#unexpected.push(`${answer.status} ${text.slice(0, 300)}`);
      return done('unknown');
    } catch (error) {
      return done(isRefused(error) ? 'refused' : 'unknown');
    }
  }

  /** Reads a client at a member that may not have written it. */
  async #read({ email, position: atLeast }: Write): Promise<void> {
    const member = this.#any();
    const headers = { 'x-portolan-at-least': String(atLeast) };
    try {
      const path = `/panel/api/inbounds/getClientTraffics/${email}`;
      const answer = await bearer(member, this.#token, ANSWER_MS).raw('GET', path, { headers });
      if (answer.status !== 200) return;
      const { obj } = (await answer.json()) as { readonly obj: object | null };
      const position = Number(answer.headers.get('x-portolan-position'));
      this.#reads.push({ member: member.name, email, atLeast, position, found: obj !== null });
    } catch {
      // The member was killed, or did not answer in time.
    }
  }
}

/** Whether nothing listened: the request was never sent. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error && (error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED';
