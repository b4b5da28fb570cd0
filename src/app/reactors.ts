import { join } from 'node:path';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import type { MemberMachine } from '../commands/ports/cluster/machine.js';
import type { Core } from '../commands/ports/core.js';
import {
  clearConfigurationRejected,
  raiseAddressesOpen,
  raiseConfigurationRejected,
} from '../commands/reactors/core/core-alarms.js';
import { CoreSync } from '../commands/reactors/core/core-sync.js';
import { dispatchAs } from '../commands/reactors/dispatch-as.js';
import { IpLimit } from '../commands/reactors/traffic/ip-limit.js';
import { Retention } from '../commands/reactors/traffic/retention.js';
import { TrafficIntake } from '../commands/reactors/traffic/traffic-intake.js';
import { addressLimit, blockedClients, graceOf, renewBlocksAfter } from '../commands/traffic/ip-limit.js';
import type { RecordedEvent } from '../events/catalog.js';
import type { ClientNumber } from '../events/ids.js';
import { heldFrom } from '../events/personal-data/hold-document.js';
import type { Alarms } from '../lib/alarms.js';
import type { PanelStore } from '../store/panel-store.js';
import { type MachineRecording, machineRecording } from './machine.js';

interface Parts {
  readonly directory: Pick<DataDirectory, 'run'>;
  /** The membership in a cluster; null = this machine is alone. */
  readonly member: MemberMachine | null;
  readonly core: Core;
  readonly store: PanelStore;
  readonly alarms: Alarms;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

/** Constructs the reactors of the local core: configuration, counters, IP limits and retention. */
export function createReactors(parts: Parts) {
  const { core, store, alarms, now, warn, member } = parts;
  const { read, state, log } = store;
  const running = () => core.process.running;
  const file = join(parts.directory.run, 'unrecorded.json');
  const recording = machineRecording({ store, member, file, running, now, warn });
  const ipLimit = createIpLimit(parts, recording);
  const intake: TrafficIntake = new TrafficIntake({
    core,
    toPassOn: () => read.usage.baselines(recording.machine).toPassOn(),
    record: recording.reading,
    applyTime() {
      recording.applyTime();
      // Limits of this machine have no event that would start it.
      if (member) void sync.settle();
    },
    dispatch: recording.observed('traffic-intake'),
    period: () => read.settings.current().pollSeconds * 1000,
    now,
    ipSeen: (client, ip) => read.usage.addressSeen(client, ip),
    online: (clients) =>
      read.usage.online.set(clients.flatMap((number) => read.clients.get(number)?.identity.email ?? [])),
    counted: (clients) => sync.observe(clients),
    limit: (users) => ipLimit.poll(users),
    warn,
  });
  const sync = createCoreSync(parts, recording, intake);
  const retention = new Retention({
    log,
    rolledTo: () => state.state.rolledTo,
    hours: () => read.settings.current().measuredRetentionHours,
    heldFrom: (since) => heldFrom(state.state.holds, since),
    dispatch: dispatchAs('retention', store.dispatch, warn),
    now,
    warn,
  });
  let filter = (events: readonly RecordedEvent[]): readonly RecordedEvent[] => events;
  const following = read.changed$.subscribe((events) => {
    clearConfigurationRejected(alarms, events);
    sync.onEvents(filter(events));
    ipLimit.onEvents(events);
  });

  return {
    /** `seen` returns the events that the control of the core sees now. */
    filterBy: (seen: typeof filter): void => void (filter = seen),
    restartCore: () => sync.restart(),
    settled: () => sync.settle(),
    settledWithin: (ms: number) => sync.settledWithin(ms),
    poll: () => intake.poll(),
    /** Records what the core has counted up to now, within two seconds. */
    collect: () => intake.collect(),
    /** Starts what each machine does for itself. */
    async begin(): Promise<void> {
      await sync.begin();
      intake.begin();
    },
    /** Starts what only one panel of a cluster does. */
    beginShared: (): void => retention.begin(),
    endShared: () => retention.end(),
    async end(keepCore: boolean): Promise<void> {
      await retention.end();
      await intake.end();
      await intake.last();
      await sync.end(keepCore);
      following.unsubscribe();
    },
  };
}

function createIpLimit({ core, store, alarms, now, warn }: Parts, { machine, observed }: MachineRecording): IpLimit {
  const { read, state } = store;
  return new IpLimit({
    core,
    disconnectFailed: () => raiseAddressesOpen(alarms),
    machine: machine ?? undefined,
    dispatch: observed('ip-limit'),
    limitOf: (email) => addressLimit(state.state, email, machine),
    blockedClients: () => blockedClients(state.state, machine),
    emailOf: (client) => state.state.clients.get(client as ClientNumber)?.identity.email ?? null,
    clientsOf: (email) => state.state.byEmail.get(email),
    graceMs: () => graceOf(read.settings.current()) * 1000,
    renewAfterMs: () => renewBlocksAfter(read.settings.current()),
    now,
    warn,
  });
}

function createCoreSync(
  { core, store, alarms, now, warn }: Parts,
  recording: MachineRecording,
  intake: TrafficIntake,
): CoreSync {
  const { read } = store;
  return new CoreSync({
    core,
    desired: read.desired,
    dispatch: recording.core,
    recorded: {
      process: () => read.records.core().process,
      inboundOf: (tag) => read.desired.inboundOf(tag),
      refused: () => read.records.core().refused,
    },
    counters: {
      readLast: () => intake.last(),
      passOn: () => intake.passOn(),
      ownerOf: (tag) => read.usage.baselines(recording.machine).ownerOf(tag),
    },
    restartToDisconnect: () => read.settings.current().restartCoreOnClientDisable,
    configurationRejected: (why) => raiseConfigurationRejected(alarms, why),
    now,
    warn,
  });
}
