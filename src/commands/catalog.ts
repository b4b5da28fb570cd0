import { client, type ClientCommand } from './client.js';
import type { Decider } from './command.js';
import { core, type CoreCommand } from './core.js';
import { inbound, type InboundCommand } from './inbound.js';
import { panel, type PanelCommand } from './panel.js';
import { settings, type SettingsCommand } from './settings.js';
import { traffic, type TrafficCommand } from './traffic.js';
import { user, type UserCommand } from './user.js';

export type AnyCommand =
  | InboundCommand
  | ClientCommand
  | TrafficCommand
  | CoreCommand
  | SettingsCommand
  | UserCommand
  | PanelCommand;

/** Every decider in one table. A command without an entry does not compile. */
export const deciders: Decider<AnyCommand> = { ...inbound, ...client, ...traffic, ...core, ...settings, ...user, ...panel };
