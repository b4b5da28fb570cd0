import type { Command } from 'commander';
import type { Config } from '../../../config.js';
import { message } from '../../../messages/message.js';
import type { Say } from '../../../messages/terminal.js';
import { creationCommands } from './creation.js';
import { joiningCommands } from './joining.js';
import { memberCommands } from './members.js';
import { repairCommands } from './repair.js';

/** `portolan cluster …`: creates a cluster, and shows how this machine relates to it. */
export function clusterCommands(program: Command, config: () => Config, json: () => boolean, say: Say): void {
  const cluster = program.command('cluster').description(say(message('cli.cluster')));
  const shared = { config, json, say };
  creationCommands(cluster, shared);
  joiningCommands(cluster, shared);
  memberCommands(cluster, shared);
  repairCommands(cluster, shared);
}
