import type { Done } from '../../commands/bus.js';
import type { AnyCommand } from '../../commands/catalog.js';
import type { GroupedCommand, PlainCommand } from '../../commands/counter-commands.js';
import type { Backups } from '../../commands/ports/backups.js';
import type { CertificateStatus } from '../../commands/ports/certificates.js';
import type { Core, CoreInbounds, CoreProcess } from '../../commands/ports/core.js';
import type { Directory } from '../../commands/ports/directory.js';
import type { Gauges } from '../../commands/ports/gauges.js';
import type { HostMonitor } from '../../commands/ports/host.js';
import type { Logs } from '../../commands/ports/logs.js';
import type { NodeHistories } from '../../commands/ports/node-histories.js';
import type { Passkeys } from '../../commands/ports/passkeys.js';
import type { Passwords } from '../../commands/ports/passwords.js';
import type { OutboundProbe } from '../../commands/ports/probe.js';
import type { Providers } from '../../commands/ports/providers.js';
import type { RestoreChecks } from '../../commands/ports/restore-checks.js';
import type { TwoFactor } from '../../commands/ports/two-factor.js';
import type { Web } from '../../commands/ports/web.js';
import type { BackupDelivery } from '../../commands/reactors/backup/backup-delivery.js';
import type { GeoSources } from '../../commands/reactors/geo/geo-sources.js';
import type { GeoUpdate } from '../../commands/reactors/geo/geo-update.js';
import type { RemoteNodes } from '../../commands/reactors/nodes/remote-nodes.js';
import type { CoreInstall } from '../../commands/reactors/releases/core-install.js';
import type { PanelUpdate } from '../../commands/reactors/releases/panel-update.js';
import type { Rejection } from '../../commands/rejection.js';
import type { Access } from '../../events/access/access-of.js';
import type { RecordedEvent } from '../../events/catalog.js';
import type { Actor } from '../../events/log/event.js';
import type { SettingKey, Settings } from '../../events/settings/settings.js';
import type { Alarms } from '../../lib/alarms.js';
import type { CertificatePair } from '../../lib/certificate-pairs.js';
import type { Text } from '../../messages/message.js';
import type { DiffFilter, DiffReport, Part } from '../../projections/diff/diff.js';
import type { ReadModels } from '../../projections/read-models.js';
import type { Metrics } from '../ops/metrics.js';
import type { SessionUses } from './auth/session-uses.js';
import type { JsonOf } from './contract/route.js';
import type { Status } from './contract/schemas/status.js';
import type { Handling } from './handling.js';
import type { HistoryServices, ShownServices } from './history-services.js';
import type { ProofServices } from './proof-services.js';
import type { ClusterServices } from './relay/cluster-services.js';
import type { ScanServices } from './scan-services.js';
import type { WebhookServices } from './webhook-services.js';

/** For each overridden setting, the flag or variable that overrides it. */
export type Overrides = Readonly<
  Partial<Record<SettingKey, { readonly variable: string; readonly value: string | number }>>
>;

/** The read models, and the clock. */
export interface Reads {
  readonly read: ReadModels;
  readonly now: () => number;
}

/** The functions of the core that handlers use. */
export interface HandlerCore extends Pick<Core, 'config' | 'keys'> {
  readonly process: Pick<CoreProcess, 'running' | 'appliedTemplate' | 'output'>;
  readonly inbounds: Pick<CoreInbounds, 'applied'>;
}

/** The core, and the recording of its state. */
interface CoreServices {
  readonly core: HandlerCore;
  /** Records the core's counters up to now; false = it has not responded within two seconds. */
  readonly collect: () => Promise<boolean>;
  /** Resolves when the core reactor has processed all events appended before the call, or after `ms`. */
  readonly coreSettled: (ms: number) => Promise<void>;
  /** The next event of one of these types after `position`, or null after `ms`. */
  readonly outcome: (
    position: number,
    types: readonly RecordedEvent['type'][],
    ms: number,
  ) => Promise<RecordedEvent | null>;
  readonly probe: OutboundProbe;
}

/** Certificates and keys that an admin gives by files or lines. */
interface CertificateServices {
  /**
   * Why these files must not be given to the core: they cannot be read, are not a certificate and a key, or do not match.
   * Null when they are valid. The text never contains file content. An empty path = that file is not configured.
   */
  readonly certificateProblem: (certificateFile: string, keyFile: string) => Promise<Text | null>;
  /** What the files contain, and the same problem. */
  readonly certificateStatus: (certificateFile: string, keyFile: string) => Promise<CertificateStatus>;
  /** The same for a pair in an inbound or the template, given as files or as lines. */
  readonly pairProblem: (pair: CertificatePair) => Promise<Text | null>;
  /** When its certificate expires, in ms since 1970; null when it has none that can be read. */
  readonly pairExpiry: (pair: CertificatePair) => Promise<number | null>;
}

/** The machine: its load, its logs, its ports and its certificate files. */
interface MachineServices {
  /** Why signed heads cannot be stored at this path; null if they can. */
  readonly headPlaceProblem: (path: string) => Text | null;
  readonly host: HostMonitor;
  readonly gauges: Gauges;
  readonly logs: Logs;
  /** The status object at the last reading of the machine. */
  readonly status: () => JsonOf<Status>;
  /** Notifications to all admins that have no event. */
  readonly alarms: Pick<Alarms, 'notify' | 'raised$'>;
  /** Why a port cannot be bound, tested by binding it; null when it can. */
  readonly portProblem: (
    listen: string,
    port: number,
    udp: boolean,
  ) => Promise<'taken' | 'forbidden' | 'no such address' | null>;
  /**
   * The same for TCP ports of the panel's own servers: a port that one of the two holds now counts as free, and only the
   * address is tested.
   */
  readonly serverPortProblem: (listen: string, port: number) => ReturnType<MachineServices['portProblem']>;
  readonly version: string;
  /** The figures for monitoring. */
  readonly metrics: () => Metrics;
}

/** The services that authenticate admins. */
interface AccountServices {
  readonly passwords: Passwords;
  readonly directory: Directory;
  readonly twoFactor: TwoFactor;
  readonly passkeys: Passkeys;
  readonly sessionUses: SessionUses;
}

/** Remote panels. */
export interface NodeServices {
  /** Probes and synchronizes the nodes. */
  readonly nodes: Pick<RemoteNodes, 'health' | 'probe' | 'test' | 'state' | 'retryAt' | 'retry' | 'cleanUp'>;
  readonly nodeHistories: NodeHistories;
}

/** Newer versions of the core, the panel and the geo files. */
interface ReleaseServices {
  readonly coreInstall: Pick<CoreInstall, 'install' | 'installed' | 'list'>;
  readonly panelUpdate: Pick<PanelUpdate, 'install' | 'info'>;
  readonly geoUpdate: Pick<GeoUpdate, 'update'>;
  readonly geoSources: Pick<GeoSources, 'add' | 'change' | 'remove' | 'download' | 'update' | 'pathOf' | 'fileOf'>;
}

/** A side of a comparison: a backup of the list by its name, a file, or a position of the log. */
export type ComparedSide =
  | { readonly kept: string }
  | { readonly path: string; readonly passphrase: string }
  | { readonly position: number };

/** Backups. */
interface BackupServices {
  readonly backups: Backups;
  /** Checks of files that are to replace the state. */
  readonly restoreChecks: RestoreChecks;
  /** The identity and the last position of the current log. */
  readonly logHead: () => { readonly generation: string; readonly position: number };
  /** Sends a new backup to the admins through the chat bot. */
  readonly backupDelivery: Pick<BackupDelivery, 'deliver'>;
  /** Compares backups with the log, without an effect on the panel. */
  readonly backupDiffs: {
    readonly compare: (
      compared: {
        readonly from: ComparedSide;
        readonly to: ComparedSide;
        readonly filter: DiffFilter;
        readonly part: Part;
      },
      signal: AbortSignal,
    ) => Promise<DiffReport | Rejection>;
  };
  /** The path for an upload: each time a new private path in the data directory. */
  readonly uploads: () => string;
}

/** The panel's own servers. */
interface ServerServices {
  /** The settings that a flag or an environment variable overrides. */
  readonly overrides: Overrides;
  /** Whether a restart of the servers is in progress, from the request to its end. */
  readonly restarting: () => boolean;
  /** Why a restart of the servers would fail, as a sentence; null when it would succeed. */
  readonly restartProblem: () => Promise<Text | null>;
  /** The settings as of the last start or restart of the servers. */
  readonly servedSettings: () => Settings;
  /** The port of the subscription server, which a flag may override. */
  readonly subPort: () => number;
  /** Waits until the cluster has what was appended; the rejection if it has not in time. */
  readonly confirmed: () => Promise<Rejection | null>;
  /** The cluster that this panel is a member of; null = it is alone. */
  readonly cluster: ClusterServices | null;
}

/** Requests to other machines: all of them go through `web`. */
interface OutsideServices {
  readonly web: Web;
  readonly providers: Providers;
}

/** The services that handlers may use, by subject, created by the composition root. */
export interface PanelServices extends Reads {
  readonly core: CoreServices;
  readonly machine: MachineServices & CertificateServices;
  readonly accounts: AccountServices;
  readonly nodes: NodeServices;
  readonly releases: ReleaseServices;
  readonly backup: BackupServices;
  readonly history: HistoryServices & ShownServices & ProofServices & ScanServices;
  readonly server: ServerServices;
  readonly outside: OutsideServices;
  readonly webhooks: WebhookServices;
}

type Group =
  | Reads
  | CoreServices
  | MachineServices
  | CertificateServices
  | AccountServices
  | NodeServices
  | ReleaseServices
  | BackupServices
  | PanelServices['history']
  | ServerServices
  | OutsideServices
  | WebhookServices;
type NamesIn<G> = G extends unknown ? keyof G : never;
type MemberOf<G, Name> = G extends unknown ? (Name extends keyof G ? G[Name] : never) : never;

/** The services that a table of handlers, or one of its functions, uses, each under its own name. */
export type Needs<Name extends NamesIn<Group>> = { readonly [N in Name]: MemberOf<Group, N> };

export interface Wants {
  /** The member of the cluster that has passed the request on; absent = it arrived here. */
  readonly askedAt?: string | undefined;
  /** The caller is another panel, which wants current counters and not those of the last poll. */
  readonly counters: boolean;
  /** The header `Accept`; empty without it. */
  readonly accept: string;
}

/** A request, as a handler sees it. */
export interface HttpRequest {
  /** Renders a text in the language of the caller, for members of `obj`; `msg` is always translated. */
  readonly say: (sentence: Text) => string;
  readonly actor: Actor;
  readonly access: Access;
  /** The id of the logged-in user; for a token, the admin to whom it belongs, else the first owner. */
  readonly userId: number;
  /** What the way and the headers of the request ask for. */
  readonly wants: Wants;
  /** Host of the request without its port, for links. A forwarded host counts only from a trusted proxy. */
  readonly requestHost: string;
  /** Aborts when the caller disconnects before it has its answer. */
  readonly signal: AbortSignal;
  /** Decides and appends a command as the caller, with its correlation id and `Idempotency-Key`. */
  readonly dispatch: (command: PlainCommand) => Done | Rejection;
  /**
   * The same for commands of which many may arrive at once: they are committed in groups, after the core's counters up to
   * now were recorded if needed. `make` is called for the counters and again for each decision; `causationId`: the cause.
   */
  readonly change: (make: () => GroupedCommand | Rejection, causationId?: string) => Promise<Done | Rejection>;
  /** What `dispatch` would reject, without appending: called before slow checks by the machine and the core. */
  readonly refusalOf: (command: AnyCommand) => Rejection | null;
  /** How it is carried out. */
  readonly handling: Handling;
}
