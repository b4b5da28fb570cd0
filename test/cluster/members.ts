import { copyFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { prepareDataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import { createClusterStore, openClusterStore, openKeyBucket } from '../../src/adapters/nats/cluster-store.js';
import { connectNats } from '../../src/adapters/nats/connection.js';
import { LogReplication } from '../../src/adapters/sqlite/replication/log-replication.js';
import { Member } from '../../src/cluster/member.js';
import { clientAdded, clientNumber, draft, inboundAdded } from '../kit/builders.js';
import { TestLog, temporaryFolder } from '../kit/log.js';
import { type NatsServer, startNats } from '../kit/real/nats/server.js';

/** A NATS server with the stream and the buckets of a new cluster, until the end of the test. */
export async function startCluster(log = 'first'): Promise<{ readonly url: string; readonly server: NatsServer }> {
  const server = await startNats();
  onTestFinished(() => server.remove());
  const url = server.url.replace('://', `://${server.user.user}:${server.user.password}@`);
  const connection = await connectNats({ url, name: 'init' });
  await (await openKeyBucket(connection, 1)).markComplete();
  await createClusterStore(connection, { log, base: 0 }, 1);
  await connection.close();
  return { url, server };
}

/** An empty log with the same master key as `other`. */
export function logLike(other?: TestLog): TestLog {
  if (other === undefined) return new TestLog();
  const folder = temporaryFolder();
  copyFileSync(other.directory.masterKey, prepareDataDirectory(folder).masterKey);
  return new TestLog(folder);
}

/** What `openClusterStore` gives, connected until the end of the test. */
export async function storeOf(url: string, name: string) {
  const connection = await connectNats({ url, name });
  onTestFinished(() => connection.close());
  return openClusterStore(connection, name);
}

interface Running {
  readonly member: Member;
  readonly log: TestLog;
  readonly restarts: readonly string[];
  /** How often it has begun to lead. */
  readonly led: () => number;
  /** Appends one client. */
  readonly add: (n: number) => void;
}

/** A member that follows, or leads when the lease is free, until the end of the test. */
export async function startMember(
  url: string,
  name: string,
  log: TestLog,
  {
    leaseMs = 4000,
    sequence = 0,
    begins = Promise.resolve(),
    repair = async (): Promise<void> => undefined,
    moved = (): void => undefined,
  } = {},
): Promise<Running> {
  const restarts: string[] = [];
  let led = 0;
  const member = new Member(
    {
      ...(await storeOf(url, name)),
      ...{ name, now: Date.now, warn: () => undefined, replica: new LogReplication(log.log) },
      reports: async () => [],
      repair,
      leaseMs,
      work: {
        moved,
        lead: () => {
          led += 1;
          return begins;
        },
      },
      restart: (why) => void restarts.push(why),
    },
    { position: log.log.head().position, sequence },
  );
  log.log.appended$.subscribe(() => member.appended());
  onTestFinished(() => member.stop());
  member.begin();
  return { member, log, restarts, led: () => led, add: (n) => addClient(log, n) };
}

/** Appends an inbound, for 1, or a client with this number. */
export function addClient(log: TestLog, n: number): void {
  log.append(n === 1 ? inboundAdded() : clientAdded(draft(`client-${n}`, n), clientNumber(n)));
}
