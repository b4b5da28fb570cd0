import type { CommandContext, Dispatch } from '../../bus.js';
import type { AnyCommand } from '../../catalog.js';
import type { Baselines, Reading } from '../../reactors/traffic/readings.js';
import type { Rejection } from '../../rejection.js';
import type { FetchFile } from './shared-files.js';

/** The machine of a member, as its core control needs it. */
export interface MemberMachine {
  /** The name of the member. */
  readonly name: string;
  readonly isLeader: boolean;
  /** Why this member cannot change anything now; null = it can. */
  refusal(): Rejection | null;
  readonly calls: {
    /** Has the leader record what was observed, as soon as there is one. */
    record(command: AnyCommand, context: CommandContext): void;
    readonly machine: MachineReports;
    /** Copies a file of the leader. */
    readonly fetch: FetchFile;
  };
}

/** What a machine reports about its core, in order, until the leader has recorded it. */
export interface MachineReports {
  begin(begun: {
    /** What is not recorded yet is kept here. */
    readonly file: string;
    readonly dispatch: Dispatch;
    readonly baselines: (machine: string) => Baselines;
    /** Called when the log does not have a run whose counters were sent. */
    readonly unknownRun: (run: string) => void;
  }): void;
  command(command: AnyCommand): void;
  /** Resolves when the reading is recorded, or after two seconds. `before`: what this log has of the run. */
  reading(reading: Reading, before: Baselines): Promise<void>;
  /** The readings that wait, oldest first. */
  unrecorded(): readonly Reading[];
}

/** Whether no member leads, or the cluster does not answer. */
export const isWithoutLeader = (member: Pick<MemberMachine, 'refusal'>): boolean => {
  const refused = member.refusal();
  return refused !== null && refused.code !== 'CLUSTER_FOLLOWER';
};
