import { setTimeout as sleep } from 'node:timers/promises';
import { Refusals } from '../commands/access/refusals.js';
import type { MemberMachine } from '../commands/ports/cluster/machine.js';
import { recorder } from '../commands/ports/cluster.js';
import { firstEvent } from '../events/log/first-event.js';
import { EventFeed } from '../http/live/event-feed.js';
import { LimitedFeed } from '../http/live/limited-feed.js';
import { AuditPages } from '../http/panel/audit.js';
import { SessionUses } from '../http/panel/auth/session-uses.js';
import type { Overrides, PanelServices } from '../http/panel/context.js';
import type { HistoryServices, ShownServices } from '../http/panel/history-services.js';
import { limitedMomentOf } from '../http/panel/limited-moment.js';
import { momentOf, placeOf } from '../http/panel/moment.js';
import { statusText } from '../http/panel/status-text.js';
import type { Disposal } from '../lib/disposal.js';
import { OpaqueNumbers } from '../lib/opaque-numbers.js';
import { KeyedDigest } from '../lib/secrets/keyed-digest.js';
import { Moments } from '../projections/moments.js';
import { ledgerAt } from '../projections/statement/past-ledger.js';
import { unfinishedFile } from '../store/backup-files.js';
import { BackupDiffs } from '../worker/backup-diffs.js';
import { LogScans } from '../worker/log-scans.js';
import { PanelRestoreChecks } from '../worker/restore-checks.js';
import type { CorePlace } from '../worker/xui-template.js';
import type { Adapters } from './adapters.js';
import { createBackups, createBackupTimer } from './backups.js';
import { createChatBot } from './chat-bot.js';
import { createDirectorySync } from './directory.js';
import { createInstalls } from './installs.js';
import { PanelMetrics } from './metrics.js';
import { createNodes } from './nodes.js';
import type { Panel } from './panel.js';
import { createProof } from './proof.js';
import { createTrafficReporter } from './traffic-report.js';
import { createWebhooks } from './webhooks.js';

interface Parts {
  readonly version: string;
  readonly overrides: Overrides;
  /** The membership in a cluster; null = this machine is alone. */
  readonly member: MemberMachine | null;
  readonly servers: Pick<
    PanelServices['server'],
    'restarting' | 'restartProblem' | 'servedSettings' | 'subPort' | 'confirmed' | 'cluster'
  > &
    Pick<PanelServices['machine'], 'serverPortProblem'>;
  /** The core and its geo files, for the checks of a restored backup. */
  readonly corePlace: () => CorePlace;
  /** Ends the process soon so that its launcher starts the next one; null without a launcher. */
  readonly switchOver: { readonly update: (() => void) | null; readonly state: (() => void) | null };
  /** Whether a restart of the servers or of the process is under way. */
  readonly restarting: () => boolean;
  /** Selects a panel version for the next start. */
  readonly choosePanel: (version: string) => void;
  readonly warn: (message: string, fields?: object) => void;
}

/** When the checkpoints of a long log are completed after a start, and the rest between two pieces of that work, in ms. */
const PREPARE_AFTER_MS = 60_000;
const REST_MS = 8;

/** The services beside the log and the core. */
export type Services = ReturnType<typeof createServices>;

/**
 * What the HTTP handlers, the control socket and the chat bot use. It lives as long as the process: a restart of the servers
 * does not replace it. Nothing runs before `startServices`.
 */
export function createServices(panel: Panel, adapters: Adapters, parts: Parts) {
  const { warn, version, switchOver } = parts;
  const { machine, outside } = adapters;
  const { web } = outside;
  const installs = createInstalls(panel, adapters.releases, { ...parts, switchOver: switchOver.update });
  const backups = createBackups(panel, adapters.backupWork, {
    ...parts,
    switchOver: switchOver.state,
    inCluster: parts.servers.cluster !== null,
  });
  const refusals = new Refusals(panel.now, recorder(panel.dispatch, parts.servers.cluster));
  const chat = createChatBot(panel, {
    ...{ web, host: machine.host, backups, refusals, confirmed: parts.servers.confirmed, version, warn },
  });
  const nodes = createNodes(panel, { web, warn });
  const confirmed = async (): Promise<boolean> => (await parts.servers.confirmed()) === null;
  const proof = createProof(panel, { web, messenger: () => chat.bot.messenger(), confirmed, warn });
  panel.reactors.collectNodesBy((asked) => nodes.nodes.collect(asked));
  const moments = new Moments(panel.log, () => performance.now(), { checkpoints: panel.store.caches.checkpoints });
  moments.follow(panel.read);
  const history = { ...historyServices(panel, moments), refusals };
  const newFile = (): string => unfinishedFile(panel.directory);
  const scans = new LogScans({ root: panel.directory.root, panel: version, newFile });
  const webhooks = createWebhooks(panel, { web, feed: history.feed, confirmed, warn });
  const metrics = new PanelMetrics(panel, webhooks.figures);
  const http: PanelServices = {
    read: panel.read,
    now: panel.now,
    core: coreServices(panel, adapters),
    machine: {
      ...machine,
      ...{ alarms: panel.alarms, version, metrics: () => metrics.get() },
      status: statusText(panel.read, machine.host, panel.now),
      serverPortProblem: parts.servers.serverPortProblem,
    },
    accounts: { ...adapters.accounts, sessionUses: new SessionUses(panel.now) },
    nodes,
    releases: installs,
    backup: {
      ...{ backups, backupDelivery: chat.delivery },
      restoreChecks: new PanelRestoreChecks({ backups, directory: panel.directory, now: panel.now }),
      backupDiffs: new BackupDiffs({
        ...{ root: panel.directory.root, work: adapters.backupWork, backups },
        passphrase: () => panel.read.settings.secrets().backupPassphrase,
      }),
      logHead: () => ({ generation: panel.log.generation, position: panel.log.head().position }),
      uploads: newFile,
    },
    history: { ...history, ...proof, scans },
    webhooks: { deliveries: webhooks.deliveries },
    server: { ...parts.servers, overrides: parts.overrides },
    outside,
  };
  return { http, installs, backups, chat, nodes, metrics, moments, webhooks, publisher: proof.publisher, scans };
}

function coreServices({ core, log, reactors }: Panel, { outside }: Adapters): PanelServices['core'] {
  return {
    core,
    collect: reactors.collect,
    coreSettled: reactors.settledWithin,
    outcome: (position, types, ms) => firstEvent(log, position, types, ms),
    probe: outside.probe,
  };
}

function historyServices(
  { read, log, store, now }: Panel,
  moments: Moments,
): Omit<HistoryServices, 'refusals'> & ShownServices {
  const past = { search: log.search, positionAt: (time: number) => log.positionAt(time), now };
  const feed = new EventFeed(log, read);
  return {
    ...{ feed, limitedFeed: new LimitedFeed(feed, log.search) },
    audit: new AuditPages(log.search, read),
    past: log,
    positions: new OpaqueNumbers(store.caches.positionKey),
    versions: new KeyedDigest(store.caches.versionKey),
    logged: (id) => log.outcomeOf(id),
    ledger: (question) => store.caches.ledger.query(question),
    ledgerAt: (moment) => ledgerAt((question) => store.caches.ledger.query(question), log, moment),
    rehearse: store.deciding.rehearse,
    moment: (at, limits) =>
      limits ? limitedMomentOf({ ...past, moments }, at, limits) : momentOf({ ...past, moments }, at),
    place: (at) => placeOf(past, at),
  };
}

/** Starts the background work until `disposal`: the chat bot, nodes, backups, the directory. Of a cluster, only the leader does it. */
export function startServices(
  panel: Panel,
  { accounts, outside }: Adapters,
  { chat, nodes, backups, moments, webhooks, publisher, scans }: Services,
  { warn, disposal }: { readonly warn: Parts['warn']; readonly disposal: Disposal },
): void {
  for (const work of [
    createBackupTimer(panel, backups, warn),
    chat.bot,
    publisher,
    createTrafficReporter(panel, outside.web, warn),
    createDirectorySync(panel, accounts.directory, warn),
  ]) {
    work.begin();
    disposal.add(() => work.stop());
  }
  nodes.start(disposal);
  webhooks.start(disposal);
  disposal.add(() => scans.close());
  const prepare = async (): Promise<void> => {
    try {
      await moments.prepare(panel.log.head().position, () => sleep(REST_MS, undefined, { signal: ending.signal }));
    } catch (error) {
      if (!ending.signal.aborted) warn('checkpoints of earlier moments could not be written', { error: String(error) });
    }
  };
  const ending = new AbortController();
  const timer = setTimeout(() => void prepare(), PREPARE_AFTER_MS).unref();
  disposal.add(() => {
    clearTimeout(timer);
    ending.abort();
  });
}
