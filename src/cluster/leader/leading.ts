import type { DataDirectory } from '../../adapters/data-directory/data-directory.js';
import type { SqliteEventLog } from '../../adapters/sqlite/event-log.js';
import type { Rejection } from '../../commands/rejection.js';
import type { Connected } from '../connect.js';
import { recordRebuild } from '../damage/rebuild.js';
import type { formerLeader } from '../election.js';
import type { CallHooks, LeaderCalls } from '../leader-calls.js';
import type { ReportedMachine } from '../members.js';
import { answerNewMembers, type CopyLog } from '../new-members.js';
import { SetAsideReport } from '../set-aside.js';
import { answerFile, type PathOf } from '../shared-files.js';
import { answerOf, type Record, RemovalRequest } from '../steering.js';

/** The panel, as its membership needs it. */
export interface Hooks extends CallHooks {
  readonly machine: () => ReportedMachine;
  readonly log: SqliteEventLog;
  /** Starts what only the leader does, and records who led before. Called once. */
  readonly lead: (before: ReturnType<typeof formerLeader>) => Promise<void>;
  /** Ends it, because another member will lead. */
  readonly endLead: () => Promise<void>;
  /** Records a decision of the operator. */
  readonly record: Record;
  /** Records on the leader what another member has set aside. Called once for each, with the name of that member. */
  readonly setAside: (report: SetAsideReport) => void;
  /** Records what the core of this machine has counted, within two seconds. */
  readonly collect: () => Promise<unknown>;
  /** What other machines get from this one. */
  readonly sources: {
    /** Copies the database of the log into a file, in another process. */
    readonly copy: CopyLog;
    /** The path of a file of the core; null = it is not here. */
    readonly fileOf: PathOf;
  };
  /** Ends this process soon, so that its launcher starts it again as a follower. */
  readonly restart: (why: string) => void;
}

interface Leader {
  readonly name: string;
  readonly version: string;
  readonly now: () => number;
  readonly connection: Connected['connection'];
  readonly calls: LeaderCalls;
  /** Null: machines cannot join. */
  readonly directory: DataDirectory | null;
  /** Who led before. */
  readonly former: ReturnType<typeof formerLeader>;
  /** Removes a member; null = hands over the leadership. Resolves to why not, or null. */
  readonly steer: (asked: RemovalRequest | null, record: Record) => Promise<Rejection | null>;
  readonly confirmed: () => Promise<boolean>;
}

/** Answers the other members as their leader, and starts what only the leader does. */
export async function answerAndWork(
  hooks: Hooks,
  { connection, calls, directory, former, steer, ...parts }: Leader,
): Promise<void> {
  const { log, setAside, record } = hooks;
  const { copy, fileOf } = hooks.sources;
  calls.answer('set-aside', (request) => setAside(SetAsideReport.parse(request)));
  calls.answer('step-down', async () => answerOf(await steer(null, record)));
  calls.answer('remove', async (request) => answerOf(await steer(RemovalRequest.parse(request), record)));
  calls.answer('file', (question) => answerFile(question, fileOf));
  calls.take(hooks);
  calls.joins =
    directory &&
    answerNewMembers(connection, {
      ...{ ...parts, copy, directory, log: log.at(1)?.id ?? '', events: log },
      answer: (kind, answer) => calls.answer(kind, answer),
    });
  // Together, so that the failure of one is not left without a handler while the other one runs.
  await Promise.all([hooks.lead(former), recordRebuild(connection, log, record)]);
}
