import { tables } from './index.js';
import type { Route } from './route.js';

const { account, auth, factors, undo, backupToChat, cluster, coreControl, coreSettings, coreSettingsApi } = tables;
const { customGeo, database, diff, keygen, nodes, panel, panelApi, proof, recount, restore, versions, webhooks } =
  tables;

const READS = 'It changes nothing.';
const FILES = 'It reads and writes files of backups.';
const PROCESS = 'It stops or starts a process.';
const DOWNLOAD = 'Its events contain what it downloads.';
const REQUEST = 'It sends a request to another server, and its events contain the answer.';
const MEMBERS = 'It changes the members of the cluster or the leader.';
const CHALLENGE = 'It issues or uses a challenge, which can be used once.';
const COOKIE = 'It ends a session, and removes its cookie.';
const PROVIDER = 'It calls the API of a provider.';

/** Routes without a dry run, each with the reason. Every other changing route has one. */
const WITHOUT: readonly (readonly [reason: string, ...routes: readonly Route[]])[] = [
  [READS, diff.diffUpload, recount.preview, coreSettings.check, coreSettingsApi.check, ...Object.values(keygen)],
  [FILES, restore.makeBackup, restore.checkBackup, restore.checkDB, restore.restore, restore.discardRestore],
  [FILES, database.importDB, backupToChat.backupToChatBot, backupToChat.createBackup],
  [PROCESS, coreControl.stopCoreService, coreControl.restartCoreService, panel.restartPanel, panelApi.restartPanel],
  [PROCESS, versions.installCore, versions.updatePanel],
  [DOWNLOAD, versions.updateGeofile, versions.updateOneGeofile],
  [DOWNLOAD, customGeo.add, customGeo.update, customGeo.download, customGeo.updateAll],
  [REQUEST, nodes.test, nodes.probe, webhooks.test, webhooks.redeliver, proof.publish],
  [REQUEST, coreSettings.testOutbound, coreSettingsApi.testOutbound],
  [MEMBERS, cluster.stepDown, cluster.remove],
  [PROVIDER, coreSettings.wgprov, coreSettings.vpnprov, coreSettingsApi.wgprov, coreSettingsApi.vpnprov],
  [CHALLENGE, factors.proposeTwoFactor, factors.passkeyOptions, factors.addPasskey],
  [COOKIE, account.endSession, auth.logout],
];
const REASONS: ReadonlyMap<string, string> = new Map(
  WITHOUT.flatMap(([reason, ...routes]) => routes.map(({ path }) => [path, reason] as const)),
);

/** Routes that do more after their command, without an effect outside the log: their answer is a part of the preview. */
const SEVERAL_COMMANDS: ReadonlySet<string> = new Set([undo.undo.path]);

/** Whether a route of a known caller may change something. */
export const mayChange = ({ method, acts, auth, permission }: Route): boolean =>
  (method === 'POST' || acts) && auth !== 'none' && permission?.action !== 'read';

/** How many commands a route carries out that answers `?dryRun=true`; null for routes without a dry run. */
export function dryRunOf(route: Route): 'one' | 'several' | null {
  if (!mayChange(route) || REASONS.has(route.path)) return null;
  return SEVERAL_COMMANDS.has(route.path) ? 'several' : 'one';
}

/** Why a changing route has no dry run; null for other routes. */
export const noDryRunOf = (route: Route): string | null =>
  mayChange(route) ? (REASONS.get(route.path) ?? null) : null;
