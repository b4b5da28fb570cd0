import { filter, firstValueFrom, map, of, take, timeout } from 'rxjs';
import { prepareDataDirectory, removeUnfinished } from '../adapters/data-directory/data-directory.js';
import { lockDirectory } from '../adapters/sqlite/lock.js';
import { asSystem, type CommandContext, createBus, type Dispatch, type Done } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import type { OwnPort } from '../commands/command.js';
import { type CountedCommand, needsCounters, nodesCounted } from '../commands/counted.js';
import type { Core } from '../commands/ports/core.js';
import { CoreSync } from '../commands/reactors/core/core-sync.js';
import { IpLimit } from '../commands/reactors/traffic/ip-limit.js';
import { planRollUp } from '../commands/reactors/traffic/roll-up.js';
import { TrafficIntake } from '../commands/reactors/traffic/traffic-intake.js';
import { Rejection, refusedByStorage, reject } from '../commands/rejection.js';
import { panelState } from '../commands/state.js';
import { AddressBudget, withAddressBudget } from '../commands/traffic/address-budget.js';
import { addressesHeld, addressLimit, graceOf, restateAfter } from '../commands/traffic/ip-limit.js';
import type { RecordedEvent } from '../events/catalog.js';
import type { ClientNumber, NodeId } from '../events/ids.js';
import type { Actor } from '../events/log/event.js';
import type { EventLog } from '../events/log/log.js';
import { begin, type Folding } from '../events/log/replay.js';
import { Alarms } from '../lib/alarms.js';
import { Disposal } from '../lib/disposal.js';
import { ReadModels } from '../projections/read-models.js';
import { openSound } from '../store/damaged-log.js';
import { isDiskFull } from '../store/full-disk.js';
import { confirm, failTrial, forgiveTry, settle, tryNew } from '../store/generations.js';
import { sharing } from '../store/journal.js';
import { keepLedger } from '../store/ledger.js';
import { snapshotting } from '../store/snapshotting.js';
import { watchStorage } from '../store/storage-watch.js';

/** What a panel needs from the world; tests put others in their place. */
export interface PanelParts {
  readonly dataDir: string;
  readonly version: string;
  readonly createCore: (directory: ReturnType<typeof prepareDataDirectory>, splice: boolean) => Core;
  readonly now?: () => number;
  readonly warn: (message: string, fields?: object) => void;
  /** Called once when no change can be taken any more and the process should end. */
  readonly failed: (error: Error) => void;
}

const HOUR_MS = 3_600_000;
/** Between two roll-ups of a backlog, for everybody else, in ms. */
const PIECE_MS = 1000;
const ADDRESSES_OPEN = 'addresses that are held back stay connected';
const CORE_KEPT = 'the core kept its configuration';

export type Panel = Awaited<ReturnType<typeof createPanel>>;

/**
 * The composition root of everything but the servers: the log, the write state, the read models, the core and the
 * reactors. Start is recovery: lock, verify the head, replay, reconcile.
 */
export async function createPanel(parts: PanelParts) {
  const { now = Date.now, warn, version } = parts;
  const disposal = new Disposal();
  const directory = prepareDataDirectory(parts.dataDir);
  const lock = lockDirectory(directory.lock);
  disposal.add(() => lock.release());
  removeUnfinished(directory);
  try {
    return await open();
  } catch (error) {
    // A state cannot help that the disk is full: it is tried again when there is room.
    if (isDiskFull(error)) forgiveTry(directory.root);
    else failTrial(directory.root, error instanceof Error ? error.message : String(error));
    await disposal.dispose();
    throw error;
  }

  async function open() {
    const anchorFailed = (error: unknown): void => warn('the anchor could not be written', { error: String(error) });
    // Another state may have been chosen: what becomes of that is settled before anything is opened.
    const turn = settle(directory);
    tryNew(directory);
    let closed: Rejection | null = null;
    let ownPorts: readonly OwnPort[] = [];
    const { journal, made, damaged, refusal } = openSound(directory, { now, anchorFailed }, ({ log, snapshots }) => {
      const state = begin(panelState, snapshots);
      const bus = createBus({ log, state: state.state, now, ownPorts: () => ownPorts, closed: () => closed });
      // The write state folds inside the bus; its position follows here, for its snapshots.
      log.appended$.subscribe((events) => {
        state.position = events.at(-1)?.position ?? state.position;
      });
      return { state, bus, read: new ReadModels(log, sharing(snapshots, state.state.clients), [state]) };
    });
    const { state, bus, read } = made;
    const { log, snapshots, anchor, complaint } = journal;
    disposal.add(() => log.close());
    if (turn?.outcome === 'switched' && complaint !== null) throw new Error(complaint);
    closed = refusal;
    if (refusal) warn(refusal.message);
    const alarms = new Alarms();
    let retired = false;
    const addresses = new AddressBudget({ now, clients: () => state.state.clients.size });
    const watched = watchStorage(withAddressBudget(bus, addresses), alarms);
    // What somebody is told is done must be in the state that counts from the next start on.
    const dispatch: Dispatch = (command, context) =>
      retired && isPerson(context.actor) ? reject('STATE_REPLACED') : watched(command, context);
    read.follower.failed$.subscribe((error) => {
      closed = reject('PANEL_FAILED', { why: error.message });
      parts.failed(error);
    });
    log.appended$.subscribe(() => anchor.moved());
    disposal.add(() => (closed ? undefined : anchor.flush()));

    const ledger = keepLedger({ log, read, directory, warn });
    disposal.add(() => ledger.close());

    const foldings = [...read.follower.foldings, state];
    const keep = snapshotting(foldings, snapshots, log, warn);
    disposal.add(() => (damaged ? undefined : keep.now()));

    const core = parts.createCore(directory, read.settings.current().coreSplice);
    const reactors = react({ core, read, dispatch, alarms, log, state, now, warn });
    let collectFrom = async (_nodes: readonly NodeId[]): Promise<unknown> => undefined;

    /** A core that was found running keeps the configuration it has. */
    let coreLeft = false;

    return {
      log,
      read,
      ledger,
      core,
      dispatch,
      /**
       * As `dispatch`, after what the core and the nodes concerned have counted up to now was recorded, or they have not
       * answered for two seconds.
       * `make` is asked again after that, so that it decides on what is so then.
       */
      async change(make: () => CountedCommand | Rejection, context: CommandContext): Promise<Done | Rejection> {
        const asked = make();
        if (!(asked instanceof Rejection) && needsCounters(asked, state.state))
          await Promise.all([reactors.collect(), collectFrom(nodesCounted(asked, state.state))]);
        const command = make();
        return command instanceof Rejection ? command : dispatch(command, context);
      },
      alarms,
      directory,
      now,
      settled: reactors.settled,
      poll: reactors.poll,
      /** Records what the core has counted up to now, within two seconds. */
      collect: reactors.collect,
      /** `collect` records what these nodes have counted up to now, within two seconds, and never rejects. */
      collectNodesBy: (collect: typeof collectFrom): void => void (collectFrom = collect),
      digests: () => ({ ...read.follower.digests(), state: keep.digestOf(state) }),
      complaint,
      /** Only a part of the log can be read, so nothing of it is sent to the running core or to a node. */
      damaged,
      /** What this start found of a switch of the state; null = nothing. */
      turn,
      foldings,
      /** Another state was chosen for the next start: from here on nobody changes anything, and what runs is still recorded. */
      retire: (): void => void (retired = true),
      setOwnPorts: (ports: readonly OwnPort[]): void => {
        ownPorts = ports;
      },
      outcome: (position: number, types: readonly RecordedEvent['type'][], ms: number) =>
        outcome(log, position, types, ms),

      /** Starts what acts: the core, the polls, the hourly work. */
      async start(): Promise<void> {
        // What still runs belongs to the log that was switched away from: its counters mean nothing to this one.
        if (turn !== null) await core.process.stop();
        if (!closed) dispatch({ type: 'RecordPanelStarted', data: { version } }, asSystem('panel'));
        if (!closed && turn?.outcome === 'returned')
          dispatch({ type: 'RecordStateRestored', data: { why: turn.why } }, asSystem('panel'));
        coreLeft = damaged && (await core.process.adopt()) !== null;
        if (!coreLeft) await reactors.begin();
        confirm(directory);
      },

      /** `keepCore`: the core goes on, for a restart of the panel. */
      async stop(keepCore: boolean): Promise<void> {
        await reactors.end(keepCore || coreLeft);
        if (!closed) dispatch({ type: 'RecordPanelStopped', data: {} }, asSystem('panel'));
        await disposal.dispose();
      },
    };
  }
}

/** An operator at the command line is one, whatever the kind of its actor. */
function isPerson({ kind, id }: Actor): boolean {
  return kind !== 'system' || id === 'cli';
}

interface ReactorParts {
  readonly core: Core;
  readonly read: ReadModels;
  readonly dispatch: Dispatch;
  readonly alarms: Alarms;
  readonly log: EventLog;
  readonly state: Folding<ReturnType<typeof panelState.initial>>;
  readonly now: () => number;
  readonly warn: PanelParts['warn'];
}

function react({ core, read, dispatch, alarms, log, state, now, warn }: ReactorParts) {
  const dispatchAs =
    (name: string) =>
    (command: AnyCommand): void => {
      const done = dispatch(command, asSystem(name));
      // The alarm has said it, and every poll would say it again.
      if (done instanceof Rejection && !refusedByStorage(done))
        warn(`${command.type} was refused`, { reason: done.message });
    };
  const ipLimit = new IpLimit({
    core,
    // It is so until somebody gives the right, and a try at each hold would say it again.
    unended: () =>
      alarms.raise(ADDRESSES_OPEN, {
        title: 'What is open from an address that is held back goes on until it ends by itself',
        body: 'New ones are refused. To end those that are open, the panel needs CAP_NET_ADMIN and the program ss: docs/install.md',
        severity: 'warning',
      }),
    dispatch: dispatchAs('ip-limit'),
    limitOf: (email) => addressLimit(state.state, email),
    held: () => addressesHeld(state.state),
    emailOf: (client) => state.state.clients.get(client as ClientNumber)?.identity.email ?? null,
    clientsOf: (email) => state.state.byEmail.get(email),
    graceMs: () => graceOf(read.settings.current()) * 1000,
    restateMs: () => restateAfter(read.settings.current()),
    now,
    warn,
  });
  const intake: TrafficIntake = new TrafficIntake({
    core,
    recorded: () => read.usage.baselines(),
    dispatch: dispatchAs('traffic-intake'),
    period: () => read.settings.current().pollSeconds * 1000,
    now,
    ipSeen: (number, ip) => {
      const client = read.clients.get(number);
      return (client && read.usage.addresses(client).find(([known]) => known === ip)?.[1]) ?? 0;
    },
    online: (clients) =>
      read.usage.online.set(clients.flatMap((number) => read.clients.get(number)?.identity.email ?? [])),
    counted: (clients) => sync.observe(clients),
    limit: (users) => ipLimit.poll(users),
    warn,
  });
  const sync = new CoreSync({
    core,
    desired: read.desired,
    dispatch: dispatchAs('core'),
    recorded: {
      process: () => read.core().process,
      inboundOf: (tag) => read.desired.inboundOf(tag),
      refused: () => read.core().refused,
    },
    counters: {
      readLast: () => intake.last(),
      passOn: () => intake.passOn(),
      ownerOf: (tag) => read.usage.baselines().ownerOf(tag),
    },
    restartToDisconnect: () => read.settings.current().restartCoreOnClientDisable,
    // It is tried again every minute, and said once.
    kept: (why) =>
      alarms.raise(CORE_KEPT, {
        title: 'The core does not take the new configuration and goes on with the old one',
        body: why,
        severity: 'error',
      }),
    now,
    warn,
  });
  const following = read.changed$.subscribe((events) => {
    if (events.some(({ type }) => type === 'CoreStarted')) alarms.over([CORE_KEPT]);
    sync.notice(events);
    ipLimit.notice(events);
  });

  let backlog: NodeJS.Timeout | undefined;
  const hourly = (): void => {
    const { rolledTo } = state.state;
    const before = now() - read.settings.current().measuredRetentionHours * HOUR_MS;
    const rollUp = planRollUp(log, rolledTo, before, now());
    if (rollUp) dispatchAs('retention')(rollUp);
    // One roll-up is a piece of a backlog. One that was refused is tried again in an hour.
    if (state.state.rolledTo > rolledTo) backlog = setTimeout(hourly, PIECE_MS).unref();
    else dispatchAs('retention')({ type: 'EraseDeleted', data: {} });
  };
  let timer: NodeJS.Timeout | undefined;

  return {
    settled: () => sync.settle(),
    poll: () => intake.poll(),
    collect: () => intake.collect(),
    async begin(): Promise<void> {
      await sync.begin();
      intake.begin();
      timer = setInterval(hourly, HOUR_MS).unref();
    },
    async end(keepCore: boolean): Promise<void> {
      clearInterval(timer);
      clearTimeout(backlog);
      await intake.end();
      await intake.last();
      await sync.end(keepCore);
      following.unsubscribe();
    },
  };
}

/** The first event of one of the types after a position, in the log or to come; null after `ms`. */
function outcome(log: EventLog, position: number, types: readonly RecordedEvent['type'][], ms: number) {
  const past = log.read(position, 1000).find(({ type }) => types.includes(type));
  if (past) return Promise.resolve(past);
  const coming = log.appended$.pipe(
    map((events) => events.find((event) => event.position > position && types.includes(event.type))),
    filter((event) => event !== undefined),
    take(1),
    timeout({ first: ms, with: () => of(null) }),
  );
  return firstValueFrom(coming, { defaultValue: null });
}
