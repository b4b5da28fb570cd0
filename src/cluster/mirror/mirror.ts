import { setTimeout as sleep } from 'node:timers/promises';
import { openMirrorStore, storedIdentity } from '../../adapters/nats/cluster-store.js';
import { closeNats, connectNats, type NatsOptions } from '../../adapters/nats/connection.js';
import { askLeader } from '../../adapters/nats/requests.js';
import type { SqliteEventLog } from '../../adapters/sqlite/event-log.js';
import { ClusterAway, StreamMissing } from '../../commands/ports/cluster.js';
import { MessageError } from '../../messages/error.js';
import { message, verbatim } from '../../messages/message.js';
import { align } from '../alignment.js';
import { DAMAGED, faultIn } from '../damage/stream-fault.js';
import { StreamWatch } from '../damage/stream-watch.js';
import { Diverged, Following } from '../following.js';
import { type Addresses, Members } from '../members.js';
import { withoutLogin } from '../shown-url.js';
import { approvalOf } from './approval.js';
import { MirrorLog, MirrorRemoved } from './mirror-log.js';

/** Pause between two attempts to follow, in ms. */
const AGAIN_MS = 1000;

type Connection = Awaited<ReturnType<typeof connectNats>>;

export interface MirrorOptions {
  readonly nats: NatsOptions;
  readonly version: string;
  /** The data directory. */
  readonly root: string;
  readonly log: SqliteEventLog;
  /** See `mirrorKey` in the adapter. */
  readonly mirrorKey: Buffer;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
  readonly addresses: () => Addresses;
  /** Called once with the reason when this mirror can never follow again. */
  readonly failed: (error: MessageError) => void;
}

/**
 * A subscription mirror: follows the stream of the cluster. It never leads, and gets only the data keys that links need. When
 * the cluster does not answer, it serves what it has.
 */
export class Mirror {
  readonly #options: MirrorOptions;
  readonly #log: MirrorLog;
  readonly #ending = new AbortController();
  #following: Following | null = null;
  #connection: Connection | null = null;
  #members: Members | null = null;
  #watch: StreamWatch | null = null;
  #awayAt: number | null;
  #hasWarned = false;

  constructor(options: MirrorOptions) {
    const { log, mirrorKey: key } = options;
    const { name } = options.nats;
    this.#options = options;
    this.#awayAt = options.now();
    const ask = async (question: unknown): Promise<unknown> => {
      if (this.#connection === null) throw new ClusterAway('the cluster is not connected');
      return askLeader(this.#connection, 'mirror-keys', question);
    };
    this.#log = new MirrorLog({ name, log, key, ask });
  }

  /** Since when (ms since 1970) the cluster does not answer; null = it answers. */
  get awayAt(): number | null {
    return this.#awayAt;
  }

  begin(): void {
    void this.#run();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#disconnect();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    const { warn, failed, now } = this.#options;
    while (!signal.aborted) {
      try {
        const following = await this.#connect();
        if (following !== null) await this.#follow(following);
      } catch (error) {
        const final = finalError(error, this.#options.nats.name);
        if (final !== null && !signal.aborted) return failed(final);
        if (!(error instanceof ClusterAway)) warn('this mirror cannot follow the cluster', { error: String(error) });
        else if (!this.#hasWarned)
          warn('the cluster does not answer: this mirror serves what it has', { error: error.message });
        this.#hasWarned = true;
        this.#awayAt ??= now();
      }
      await this.#disconnect();
      await sleep(AGAIN_MS, undefined, { ref: false });
    }
  }

  /** Compares the log with the stream. Null: the stream is damaged. */
  async #connect(): Promise<Following | null> {
    const { nats, log, version, root, now, warn, addresses, failed } = this.#options;
    const { name, url } = nats;
    if (approvalOf(log, name)?.isRemoved) throw new MirrorRemoved('an earlier event says so');
    const connection = await connectNats(nats);
    this.#connection = connection;
    const [found, expected] = [await storedIdentity(connection), log.at(1)?.id ?? ''];
    if (found === null) throw new StreamMissing('the stream was deleted');
    if (found.log !== expected)
      throw new MessageError(
        message('start.clusterOtherPanel', { url: withoutLogin(url), found: found.log, expected }),
      );
    const { stream, members: reports } = await openMirrorStore(connection);
    const fault = faultIn(await stream.ends(), this.#following?.sequence ?? 0);
    if (fault !== null) {
      warn(DAMAGED, { fault });
      return null;
    }
    const members = new Members({ name, version, root, reports, stream, now });
    await members.claim();
    const { relation, position, sequence } = await align(stream, log);
    if (relation === 'gap') throw new MessageError(message('start.clusterGap', { position }));
    if (relation === 'diverged' || relation === 'ahead') throw new Diverged(`at position ${position}`);
    const following = new Following(
      { replica: this.#log, keysOf: this.#log.keysOf, stream, now, warn, moved: () => undefined },
      { position, sequence },
    );
    this.#following = following;
    this.#members = members;
    this.#watch = new StreamWatch({ stream, warn });
    this.#awayAt = null;
    this.#hasWarned = false;
    members.begin({
      state: () => ({
        role: 'subscriptions',
        position: following.position,
        sequence: following.sequence,
        acknowledged: null,
        unknownAt: following.unknownAt,
      }),
      machine: () => ({ ...addresses(), missingFiles: [] }),
      taken: (host) => failed(new MessageError(message('start.clusterNameTaken', { member: name, host }))),
      warn,
    });
    return following;
  }

  /** Follows until the connection is closed, the stream is another one, or this mirror was removed. */
  async #follow(following: Following): Promise<void> {
    const { log, nats } = this.#options;
    const ending = new AbortController();
    const end = (): void => ending.abort();
    this.#ending.signal.addEventListener('abort', end, { once: true });
    const removal = log.appended$.subscribe((events) => {
      if (events.some(({ type, data }) => type === 'MemberRemoved' && data.member === nats.name)) end();
    });
    try {
      await Promise.race([following.run(ending.signal), this.#untilRebuilt(following, ending.signal)]);
      // It serves what it has until its release is upgraded.
      if (following.unknownAt !== null)
        await new Promise((resolve) => ending.signal.addEventListener('abort', resolve, { once: true }));
    } finally {
      end();
      removal.unsubscribe();
      this.#ending.signal.removeEventListener('abort', end);
    }
  }

  /** Resolves when a damaged stream was rebuilt. */
  async #untilRebuilt(following: Following, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(AGAIN_MS, undefined, { ref: false });
      try {
        if (await this.#watch?.check(following.sequence)) return;
        this.#awayAt = null;
      } catch (error) {
        if (!(error instanceof ClusterAway)) throw error;
        this.#awayAt ??= this.#options.now();
      }
    }
  }

  async #disconnect(): Promise<void> {
    await this.#members?.leave();
    this.#members = null;
    if (this.#connection) await closeNats(this.#connection);
    this.#connection = null;
  }
}

/** The sentence for an error after which a mirror must not continue; null = it tries again. */
function finalError(error: unknown, member: string): MessageError | null {
  if (error instanceof MirrorRemoved)
    return new MessageError(message('start.mirrorRemoved', { member }), { cause: error });
  if (error instanceof Diverged)
    return new MessageError(message('start.mirrorDiverged', { why: verbatim(error.message) }), { cause: error });
  return error instanceof MessageError ? error : null;
}
