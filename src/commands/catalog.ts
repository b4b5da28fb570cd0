import { type AccessCommand, access } from './access/access.js';
import { type TokenCommand, tokens } from './access/tokens.js';
import { type BackupCommand, backup } from './backup.js';
import { type CertificateCommand, certificate } from './certificate.js';
import { type ChatBotCommand, chatBot } from './chat-bot.js';
import { type ClientCommand, client } from './client/client.js';
import { type ClientsCommand, clientsTogether } from './client/many.js';
import { clientMoves, type MoveCommand } from './client/move.js';
import { type RenewalCommand, renewal } from './client/renewal.js';
import { type ClusterCommand, cluster } from './cluster.js';
import type { Command, Decider } from './command.js';
import { type CoreCommand, core } from './core.js';
import { type DirectoryCommand, directory } from './directory.js';
import { type GeoCommand, geo } from './geo/geo.js';
import { type ImportCommand, panelImport } from './import/import.js';
import { type InboundCommand, inbound } from './inbound/inbound.js';
import { type InboundRestoreCommand, inboundRestore } from './inbound/restore.js';
import { type NodeCommand, node } from './node/node.js';
import { type NodeSyncCommand, nodeSync } from './node/node-sync.js';
import { type NodeTrafficCommand, nodeTraffic } from './node/node-traffic.js';
import { type PanelCommand, panel } from './panel.js';
import { type PersonalDataCommand, personalData } from './personal-data/personal-data.js';
import { type ProofCommand, proof } from './proof/proof.js';
import { type ReleaseCommand, releases } from './releases.js';
import { type SettingsCommand, settings } from './settings/settings.js';
import { type IpLimitCommand, ipLimit } from './traffic/ip-limit.js';
import { type RecountCommand, recount } from './traffic/recount.js';
import { type TrafficCommand, traffic } from './traffic/traffic.js';
import { type TrafficReportCommand, trafficReport } from './traffic/traffic-report.js';
import { type UndoCommand, undoing } from './undo/record-undo.js';
import { type SecondFactorCommand, secondFactors } from './user/second-factors.js';
import { type UserCommand, user } from './user/user.js';
import { type WebhookCommand, webhook } from './webhook/webhook.js';

/** A command with a decider of its own. */
export type SingleCommand =
  | InboundCommand
  | InboundRestoreCommand
  | ClientCommand
  | ClientsCommand
  | MoveCommand
  | TrafficCommand
  | RecountCommand
  | CoreCommand
  | RenewalCommand
  | SettingsCommand
  | UserCommand
  | SecondFactorCommand
  | PanelCommand
  | CertificateCommand
  | ReleaseCommand
  | DirectoryCommand
  | BackupCommand
  | GeoCommand
  | NodeCommand
  | NodeSyncCommand
  | NodeTrafficCommand
  | ChatBotCommand
  | ImportCommand
  | TrafficReportCommand
  | IpLimitCommand
  | AccessCommand
  | TokenCommand
  | PersonalDataCommand
  | WebhookCommand
  | ProofCommand
  | ClusterCommand
  | UndoCommand;

/** Several commands in one append: each is decided on the state that the ones before it leave. */
type CommandSequence = Command<'Sequence', { readonly commands: readonly SingleCommand[] }>;

export type AnyCommand = SingleCommand | CommandSequence;

/** Every decider in one table. A command without an entry does not compile. */
export const deciders: Decider<SingleCommand> = {
  ...inbound,
  ...inboundRestore,
  ...client,
  ...clientsTogether,
  ...clientMoves,
  ...traffic,
  ...recount,
  ...core,
  ...renewal,
  ...settings,
  ...user,
  ...secondFactors,
  ...panel,
  ...certificate,
  ...releases,
  ...directory,
  ...backup,
  ...geo,
  ...node,
  ...nodeSync,
  ...nodeTraffic,
  ...chatBot,
  ...panelImport,
  ...trafficReport,
  ...ipLimit,
  ...access,
  ...tokens,
  ...personalData,
  ...webhook,
  ...proof,
  ...cluster,
  ...undoing,
};
