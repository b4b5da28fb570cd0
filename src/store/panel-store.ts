import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { asSystem, Bus, type BusParts, type Dispatch, type Submit } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import type { OwnPort } from '../commands/command.js';
import type { MemberMachine } from '../commands/ports/cluster/machine.js';
import { Rehearsal } from '../commands/rehearsal.js';
import { type Rejection, reject } from '../commands/rejection.js';
import { panelState } from '../commands/state.js';
import { beginState, statePartsOf } from '../commands/state-parts.js';
import { AddressBudget, withAddressBudget } from '../commands/traffic/address-budget.js';
import type { CheckpointStore } from '../events/log/checkpoint-store.js';
import type { Actor } from '../events/log/event.js';
import { catchUp, type Folding } from '../events/log/replay.js';
import type { SnapshotStore } from '../events/log/snapshot-store.js';
import type { Alarms } from '../lib/alarms.js';
import type { Disposal } from '../lib/disposal.js';
import { MessageError, textOf } from '../messages/error.js';
import type { Text } from '../messages/message.js';
import { checkpointVersion } from '../projections/checkpoints.js';
import { LogReadModels, type ReadModels } from '../projections/read-models.js';
import { openReadable } from './damaged-log.js';
import { completeSwitch, recordAttempt, type SwitchResult } from './generations.js';
import { GroupCommit } from './group-commit.js';
import { sharingClients } from './journal.js';
import { keepLedger, type LedgerKeeper } from './ledger.js';
import { snapshotting } from './snapshotting.js';
import { storageWatch } from './storage-watch.js';

interface Options {
  readonly directory: DataDirectory;
  readonly alarms: Alarms;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
  /** The membership in a cluster; null = this machine is alone. */
  readonly member: Pick<MemberMachine, 'name' | 'refusal'> | null;
  /** Called once when a fold has thrown. Every change is rejected from then on, and the process should end. */
  readonly failed: (error: Error) => void;
  /** Writes the snapshots and closes the log. */
  readonly disposal: Disposal;
}

/** What a start found. */
interface Startup {
  /** Why the log accepts no changes; null = it accepts them. */
  readonly complaint: Text | null;
  /** Only a part of the log can be read, so nothing of it is sent to the running core or to a node. */
  readonly damaged: boolean;
  /** The switch of the state that this start has completed or rolled back; null = there was none. */
  readonly switched: SwitchResult | null;
}

/** Files that are derived from the log. */
interface Caches {
  readonly ledger: LedgerKeeper;
  /** Of the read models at earlier positions; null for a damaged log. */
  readonly checkpoints: CheckpointStore | null;
  /** The key of the positions that limited roles get: it makes a position, so nothing has to be stored. */
  readonly positionKey: Buffer;
  /** The key of the digests that are versions of documents. */
  readonly versionKey: Buffer;
}

/** The event log of a running panel with everything that follows it: write state, read models, ledger and snapshots. */
interface Deciding {
  /** Like `dispatch`, for commands that are committed in groups. */
  readonly submit: Submit;
  /** Decides commands on a copy of the write state. */
  readonly rehearse: () => Rehearsal;
}

export interface PanelStore {
  readonly log: SqliteEventLog;
  readonly read: ReadModels;
  /** The write state, which the deciders use. */
  readonly state: Folding<ReturnType<typeof panelState.initial>>;
  /** Every fold that has snapshots. */
  readonly foldings: readonly Folding[];
  readonly caches: Caches;
  readonly startup: Startup;
  /** Rejects changes by people after `markReplaced`, and every change after the log was closed. */
  readonly dispatch: Dispatch;
  /** Other ways to decide commands. */
  readonly deciding: Deciding;
  readonly setOwnPorts: (ports: readonly OwnPort[]) => void;
  /** Another state was chosen for the next start: from now on, only the system can append events. */
  readonly markReplaced: () => void;
  digests(): Readonly<Record<string, string>>;
  /** Dispatches a command of the panel itself. Does nothing when the log is closed. */
  readonly record: (command: AnyCommand) => void;
}

/**
 * Opens the log of a data directory after completing a pending switch of the state. The caller must hold the lock. Throws
 * `MessageError` when the log cannot be used.
 */
export function openStore({ directory, alarms, now, warn, failed, disposal, member }: Options): PanelStore {
  const anchorFailed = (error: unknown): void => warn('the anchor could not be written', { error: String(error) });
  const switched = completeSwitch(directory);
  recordAttempt(directory);
  let closed: Rejection | null = null;
  let replaced = false;
  let ownPorts: readonly OwnPort[] = [];
  const { journal, made, damaged, refusal } = openReadable(directory, { now, anchorFailed }, ({ log, snapshots }) => {
    const begun = beginState(snapshots);
    const state: PanelStore['state'] = { fold: panelState, state: begun.state, position: 0 };
    const parts: BusParts = {
      log,
      state,
      now,
      ownPorts: () => ownPorts,
      closed: () => closed ?? member?.refusal() ?? null,
      machine: member?.name ?? null,
    };
    const bus = new Bus(parts);
    const rehearse = (): Rehearsal => new Rehearsal(parts);
    const read = new LogReadModels(log, sharingClients(snapshots, state.state.clients), begun.foldings);
    state.position = begun.position;
    return { state, bus, rehearse, read };
  });
  const { state, bus, rehearse, read } = made;
  const { log, snapshots, anchor, complaint } = journal;
  disposal.add(() => log.close());
  if (switched?.outcome === 'switched' && complaint !== null) throw new MessageError(complaint);
  closed = refusal;
  if (refusal) warn(refusal.message);
  const fail = (error: unknown): void => {
    closed = reject('PANEL_FAILED', { why: textOf(error) });
    failed(error instanceof Error ? error : new Error(String(error)));
  };
  read.follower.failed$.subscribe(fail);
  log.appended$.subscribe(() => anchor.moved());
  disposal.add(() => (closed ? undefined : anchor.flush()));
  const addresses = new AddressBudget({ now, clients: () => state.state.clients.size });
  const watch = storageWatch(alarms);
  const budgeted = withAddressBudget(bus.dispatch, addresses);
  const watched: Dispatch = (command, context) => watch(budgeted(command, context));
  // A confirmed change must be in the state of the next start.
  const isLate = (actor: Actor): boolean => replaced && isPerson(actor);
  const restore = (): void => {
    try {
      refold(state, log, snapshots);
    } catch (error) {
      fail(error);
    }
  };
  const groups = new GroupCommit({ log, state, bus, restore });
  const ledger = keepLedger({ log, read, directory, warn });
  disposal.add(() => ledger.close());
  const checkpoints = damaged ? null : journal.checkpoints(checkpointVersion());
  disposal.add(() => checkpoints?.close());
  const foldings = [...read.follower.foldings, state];
  const snapshotWriter = snapshotting([...read.follower.foldings, ...statePartsOf(state)], snapshots, log, warn);
  disposal.add(() => (damaged ? undefined : snapshotWriter.now()));

  const submit: Submit = async (make, context) =>
    watch(await groups.submit(() => (isLate(context.actor) ? reject('STATE_REPLACED') : make()), context));
  return {
    ...{
      log,
      read,
      state,
      foldings,
      caches: { ledger, checkpoints, ...journal.keys },
      startup: { complaint, damaged, switched },
    },
    dispatch: (command, context) => (isLate(context.actor) ? reject('STATE_REPLACED') : watched(command, context)),
    deciding: { submit, rehearse },
    setOwnPorts: (ports) => void (ownPorts = ports),
    markReplaced: () => void (replaced = true),
    digests: () => ({ ...read.follower.digests(), state: snapshotWriter.digestOf(state) }),
    record: (command) => void (closed ?? watched(command, asSystem('panel'))),
  };
}

/** Folds the write state again, in place, after it has seen events that were not committed. */
function refold(state: PanelStore['state'], log: SqliteEventLog, snapshots: SnapshotStore): void {
  const fresh = beginState(snapshots);
  catchUp(log, fresh.foldings);
  Object.assign(state.state, fresh.state);
  state.position = fresh.position;
}

/** Records the start and, if a switch of the state failed, its rollback. */
export function recordStart({ startup, record }: Pick<PanelStore, 'startup' | 'record'>, version: string): void {
  record({ type: 'RecordPanelStarted', data: { version } });
  if (startup.switched?.outcome === 'returned')
    record({ type: 'RecordStateReplacementRolledBack', data: { reason: startup.switched.why } });
}

/** An operator at the command line is a person although the actor is the system. */
function isPerson({ kind, id }: Actor): boolean {
  return kind !== 'system' || id === 'cli';
}
