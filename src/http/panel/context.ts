import type { Done } from '../../commands/bus.js';
import type { AnyCommand } from '../../commands/catalog.js';
import type { CountedCommand, PlainCommand } from '../../commands/counter-commands.js';
import type { Backups } from '../../commands/ports/backups.js';
import type { Core, CoreInbounds, CoreProcess } from '../../commands/ports/core.js';
import type { Directory } from '../../commands/ports/directory.js';
import type { Gauges } from '../../commands/ports/gauges.js';
import type { HostMonitor } from '../../commands/ports/host.js';
import type { Logs } from '../../commands/ports/logs.js';
import type { NodeHistories } from '../../commands/ports/node-histories.js';
import type { Passwords } from '../../commands/ports/passwords.js';
import type { OutboundProbe } from '../../commands/ports/probe.js';
import type { Providers } from '../../commands/ports/providers.js';
import type { TwoFactor } from '../../commands/ports/two-factor.js';
import type { Web } from '../../commands/ports/web.js';
import type { BackupDelivery } from '../../commands/reactors/backup/backup-delivery.js';
import type { GeoSources } from '../../commands/reactors/geo/geo-sources.js';
import type { GeoUpdate } from '../../commands/reactors/geo/geo-update.js';
import type { RemoteNodes } from '../../commands/reactors/nodes/remote-nodes.js';
import type { CoreInstall } from '../../commands/reactors/releases/core-install.js';
import type { PanelUpdate } from '../../commands/reactors/releases/panel-update.js';
import type { Rejection } from '../../commands/rejection.js';
import type { RecordedEvent } from '../../events/catalog.js';
import type { Actor } from '../../events/log/event.js';
import type { CommandId } from '../../events/log/log.js';
import type { SettingKey } from '../../events/settings/settings.js';
import type { Alarms } from '../../lib/alarms.js';
import type { CertificatePair } from '../../lib/certificate-pairs.js';
import { type Text } from '../../messages/message.js';
import type { ReadModels } from '../../projections/read-models.js';
import type { Ledger, LedgerAnswer } from '../../projections/statement/ledger.js';
import type { HistoryLog } from '../../projections/why/history.js';
import type { EventFeed } from '../live/event-feed.js';
import type { JsonOf } from './contract/route.js';
import type { Status } from './contract/schemas/status.js';

/** By setting: what is given from outside, and by which flag or variable. */
export type Overrides = Readonly<
  Partial<Record<SettingKey, { readonly variable: string; readonly value: string | number }>>
>;

/** What is so, by the log, and the time. */
export interface Reads {
  readonly read: ReadModels;
  readonly now: () => number;
}

/** What the handlers ask of the core. */
export interface AskedCore extends Pick<Core, 'config' | 'keys'> {
  readonly process: Pick<CoreProcess, 'running' | 'appliedTemplate' | 'output'>;
  readonly inbounds: Pick<CoreInbounds, 'applied'>;
}

/** The core, and what records its state. */
export interface CoreServices {
  readonly core: AskedCore;
  /** Records what the core has counted up to now; false = it has not answered within two seconds. */
  readonly collect: () => Promise<boolean>;
  /** Resolves when the core reactor has taken in everything that was appended before the call, or after `ms`. */
  readonly coreSettled: (ms: number) => Promise<void>;
  /** The next event of one of these types after `position`, or null after `ms`. */
  readonly outcome: (
    position: number,
    types: readonly RecordedEvent['type'][],
    ms: number,
  ) => Promise<RecordedEvent | null>;
  readonly probe: OutboundProbe;
}

/** The machine: its load, its logs, its ports and its certificate files. */
export interface MachineServices {
  readonly host: HostMonitor;
  readonly gauges: Gauges;
  readonly logs: Logs;
  /** The status object as it was at the last reading of the machine. */
  readonly status: () => JsonOf<Status>;
  /** What every admin shall hear though no event says it. */
  readonly alarms: Pick<Alarms, 'tell' | 'raised$'>;
  /** Why a port cannot be bound, by a real bind; null when it can. */
  readonly portProblem: (
    listen: string,
    port: number,
    udp: boolean,
  ) => Promise<'taken' | 'forbidden' | 'no such address' | null>;
  /**
   * The same for TCP where one of the panel's own servers is to listen: a port that these two hold now counts as free,
   * and only the address is tried.
   */
  readonly serverPortProblem: (listen: string, port: number) => ReturnType<MachineServices['portProblem']>;
  /**
   * Why the core must not see these files: they cannot be read, are not a certificate and a key, or do not belong
   * together. Null when they do. The sentence never shows what is in a file. An empty path = that half is not named.
   */
  readonly certificateProblem: (certificateFile: string, keyFile: string) => Promise<Text | null>;
  /** The same for a pair of an inbound or of the template, whose halves are files or lines. */
  readonly pairProblem: (pair: CertificatePair) => Promise<Text | null>;
  readonly version: string;
}

/** How admins prove who they are. */
export interface AccountServices {
  readonly passwords: Passwords;
  readonly directory: Directory;
  readonly twoFactor: TwoFactor;
}

/** Remote panels. */
export interface NodeServices {
  /** Probes and synchronizes the nodes. */
  readonly nodes: Pick<RemoteNodes, 'health' | 'probe' | 'test' | 'state' | 'retryAt' | 'retry' | 'cleanUp'>;
  readonly nodeHistories: NodeHistories;
}

/** Newer versions of the core, the panel and the geo files. */
export interface ReleaseServices {
  readonly coreInstall: Pick<CoreInstall, 'install' | 'list'>;
  readonly panelUpdate: Pick<PanelUpdate, 'install' | 'info'>;
  readonly geoUpdate: Pick<GeoUpdate, 'update'>;
  readonly geoSources: Pick<GeoSources, 'add' | 'change' | 'remove' | 'download' | 'update' | 'pathOf' | 'exists'>;
}

/** Copies of the state. */
export interface BackupServices {
  readonly backups: Backups;
  /** Sends a fresh one to the admins through the chat bot. */
  readonly backupDelivery: Pick<BackupDelivery, 'deliver'>;
  /** Where an upload is received: a new private path in the data directory each time. */
  readonly uploads: () => string;
}

/** What happened. */
export interface HistoryServices {
  /** What happened, for programs that follow. */
  readonly feed: EventFeed;
  /** What happened, read from the log. */
  readonly past: HistoryLog;
  /** Whether a command with this id was carried out, and whether it was of the same request; null when it is new. */
  readonly logged: (id: CommandId) => { readonly same: boolean } | null;
  /** Asks for bytes of clients by day, and what set their counters; in the tick in which the read models are at the same event. */
  readonly ledger: <T>(question: (ledger: Ledger) => T) => Promise<LedgerAnswer<T>>;
}

/** The servers of the panel themselves. */
export interface ServerServices {
  /** The settings that a flag or an environment variable overrides. */
  readonly overrides: Overrides;
  /** Whether a restart of the servers is under way, from the request to its end. */
  readonly restarting: () => boolean;
  /** Why a restart of the servers would fail, as a sentence; null when nothing stands in its way. */
  readonly restartProblem: () => Promise<Text | null>;
  /** The port that the subscription server has, which a flag may have chosen. */
  readonly subPort: () => number;
}

/** Requests to other machines. */
export interface OutsideServices {
  /** The only way to ask anything of another machine. */
  readonly web: Web;
  readonly providers: Providers;
}

/** What the edges may use, by subject; the composition root makes it once. */
export interface PanelServices extends Reads {
  readonly core: CoreServices;
  readonly machine: MachineServices;
  readonly accounts: AccountServices;
  readonly nodes: NodeServices;
  readonly releases: ReleaseServices;
  readonly backup: BackupServices;
  readonly history: HistoryServices;
  readonly server: ServerServices;
  readonly outside: OutsideServices;
}

type Group =
  | Reads
  | CoreServices
  | MachineServices
  | AccountServices
  | NodeServices
  | ReleaseServices
  | BackupServices
  | HistoryServices
  | ServerServices
  | OutsideServices;
type NamesIn<G> = G extends unknown ? keyof G : never;
type MemberOf<G, Name> = G extends unknown ? (Name extends keyof G ? G[Name] : never) : never;

/** The services that a table of handlers, or one of its functions, uses, each under its own name. */
export type Needs<Name extends NamesIn<Group>> = { readonly [N in Name]: MemberOf<Group, N> };

/** One request, as a handler sees it. */
export interface HttpRequest {
  /** A sentence of ours in the language of the caller, for members of `obj`: `msg` is translated in any case. */
  readonly say: (sentence: Text) => string;
  readonly actor: Actor;
  /** The id of the logged-in user; for the Bearer token the first user. */
  readonly userId: number;
  /** The caller is another panel, which wants counters as they are now and not as they were read last. */
  readonly wantsCounters: boolean;
  /** The media types that the caller would like, as it wrote them. */
  readonly accept: string;
  /** Host of the request without its port, forwarded only by a trusted proxy. For links. */
  readonly requestHost: string;
  /** Aborts when the caller goes away before it has its answer. */
  readonly signal: AbortSignal;
  /** Decides and appends in the name of the caller, with its correlation and `Idempotency-Key`. */
  readonly dispatch: (command: PlainCommand) => Done | Rejection;
  /**
   * The same for what changes counters, after what was counted up to now was recorded. `make` is asked twice: before that,
   * and after it for the command that counts.
   */
  readonly change: (make: () => CountedCommand | Rejection) => Promise<Done | Rejection>;
  /** What `dispatch` would refuse, without doing it: asked before slow questions to the machine and the core. */
  readonly refusalOf: (command: AnyCommand) => Rejection | null;
  /** The outcome of `run`, or that of the same request before: the one with the same `Idempotency-Key`. */
  readonly once: (run: () => Promise<unknown>) => Promise<unknown>;
}

/** An outcome that is a file. It is taken away as soon as it is open: nothing of it stays, whatever becomes of the caller. */
export class Download {
  readonly path: string;
  /** What the caller should call it: letters, digits, dots and dashes. */
  readonly name: string;
  readonly bytes: number;

  constructor({ path, name, bytes }: Pick<Download, 'path' | 'name' | 'bytes'>) {
    this.path = path;
    this.name = name;
    this.bytes = bytes;
  }
}

/** An outcome that is a text for a file. */
export class Attachment {
  readonly media: string;
  /** What the caller should call it: letters, digits, dots and dashes. */
  readonly name: string;
  readonly text: string;

  constructor({ media, name, text }: Attachment) {
    this.media = media;
    this.name = name;
    this.text = text;
  }
}

/** An outcome that is a sentence, not an object: the envelope's `msg`. */
export class Message {
  readonly text: Text;
  readonly obj: unknown;

  constructor(text: Text, obj: unknown = null) {
    this.text = text;
    this.obj = obj;
  }
}
