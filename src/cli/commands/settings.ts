import type { Command } from 'commander';
import { operate } from '../../control/control.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { printEither } from '../output.js';
import type { GlobalOptions } from '../reading.js';

/** `portolan config set|unset`: also works when the panel cannot be reached or does not run. */
export function settingCommands(config: Command, globals: () => GlobalOptions, say: Say): void {
  const change = async (key: string, value: string | null): Promise<void> => {
    const { dataDir, json } = globals();
    const { changed } = (await operate(dataDir, 'config.change', { key, value })) as { changed: boolean };
    const text = changed ? message('cli.configChanged') : message('cli.configUnchanged', { key });
    printEither(json, { key, changed }, say(text));
  };
  config
    .command('set')
    .argument('<key>')
    .argument('<value>')
    .description(say(message('cli.configSet')))
    .action((key: string, value: string) => change(key, value));
  config
    .command('unset')
    .argument('<key>')
    .description(say(message('cli.configUnset')))
    .action((key: string) => change(key, null));
}
