import type { Command } from 'commander';
import { operate } from '../control/control.js';
import { printEither } from './output.js';
import type { Common } from './reading.js';

/** `portolan config set|unset`: for who cannot reach the panel any more, whether it runs or not. */
export function settingCommands(config: Command, common: () => Common): void {
  const change = async (key: string, value: string | null): Promise<void> => {
    const { dataDir, json } = common();
    const { changed } = (await operate(dataDir, 'config.change', { key, value })) as { changed: boolean };
    const text = changed
      ? `Done. Ports, names, certificates and the base path count after a restart of the panel (SIGHUP does it)`
      : `${key} was so already`;
    printEither(json, { key, changed }, text);
  };
  config
    .command('set')
    .argument('<key>')
    .argument('<value>')
    .description('a setting of the panel, also while it runs; secrets only in the panel')
    .action((key: string, value: string) => change(key, value));
  config
    .command('unset')
    .argument('<key>')
    .description('the default of a setting')
    .action((key: string) => change(key, null));
}
