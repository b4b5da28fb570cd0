import { type CertificateCommand, certificate } from './certificate.js';
import { type ClientCommand, client } from './client.js';
import type { Decider } from './command.js';
import { type CoreCommand, core } from './core.js';
import { type DirectoryCommand, directory } from './directory.js';
import { type InboundCommand, inbound } from './inbound.js';
import { type PanelCommand, panel } from './panel.js';
import { type ReleaseCommand, releases } from './releases.js';
import { type RenewalCommand, renewal } from './renewal.js';
import { type SettingsCommand, settings } from './settings.js';
import { type TrafficCommand, traffic } from './traffic.js';
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
  | DirectoryCommand;

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
};
