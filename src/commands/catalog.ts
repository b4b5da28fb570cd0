import { type BackupCommand, backup } from './backup.js';
import { type CertificateCommand, certificate } from './certificate.js';
import { type ChatBotCommand, chatBot } from './chat-bot.js';
import { type ClientCommand, client } from './client.js';
import type { Decider } from './command.js';
import { type CoreCommand, core } from './core.js';
import { type DirectoryCommand, directory } from './directory.js';
import { type GeoCommand, geo } from './geo.js';
import { type ImportCommand, panelImport } from './import/import.js';
import { type InboundCommand, inbound } from './inbound.js';
import { type IpLimitCommand, ipLimit } from './ip-limit.js';
import { type NodeCommand, node } from './node.js';
import { type NodeSyncCommand, nodeSync } from './node-sync.js';
import { type NodeTrafficCommand, nodeTraffic } from './node-traffic.js';
import { type PanelCommand, panel } from './panel.js';
import { type ReleaseCommand, releases } from './releases.js';
import { type RenewalCommand, renewal } from './renewal.js';
import { type SettingsCommand, settings } from './settings.js';
import { type TrafficCommand, traffic } from './traffic.js';
import { type TrafficInformCommand, trafficInform } from './traffic-inform.js';
import { type UserCommand, user } from './user.js';

export type AnyCommand =
  | InboundCommand
  | ClientCommand
  | TrafficCommand
  | CoreCommand
  | RenewalCommand
  | SettingsCommand
  | UserCommand
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
  | TrafficInformCommand
  | IpLimitCommand;

/** Every decider in one table. A command without an entry does not compile. */
export const deciders: Decider<AnyCommand> = {
  ...inbound,
  ...client,
  ...traffic,
  ...core,
  ...renewal,
  ...settings,
  ...user,
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
  ...trafficInform,
  ...ipLimit,
};
