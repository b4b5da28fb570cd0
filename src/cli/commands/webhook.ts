import type { Command } from 'commander';
import { panelState } from '../../commands/state.js';
import { type OperationName, operate } from '../../control/control.js';
import { begin, catchUp } from '../../events/log/replay.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { wholeNumber } from '../option-values.js';
import { printEither } from '../output.js';
import { type GlobalOptions, reading } from '../reading.js';

const ANY = { min: 0, max: Number.MAX_SAFE_INTEGER };
const MAX_OVERLAP_H = 720;
const idIn = (text: string): number => wholeNumber('id', text, { ...ANY, min: 1 });

/** `portolan webhook …`: manages webhooks, whether the panel runs or not. */
export function webhookCommands(program: Command, globals: () => GlobalOptions, say: Say): void {
  const webhook = program.command('webhook').description(say(message('cli.webhook')));

  webhook
    .command('list')
    .description(say(message('cli.webhookList')))
    .action(() => {
      const { dataDir, json } = globals();
      const state = begin(panelState);
      reading(dataDir, ({ log }) => catchUp(log, [state]));
      for (const { id, name, url, types, paused, deadLetters } of state.state.webhooks.byId.values()) {
        const shown = {
          id,
          name,
          url,
          types,
          paused: paused ?? '',
          deadLetters: deadLetters.map(({ event }) => event),
        };
        const what = types.length === 0 ? '*' : types.join(',');
        printEither(json, shown, `${id}  ${name}  ${url}  ${what}  ${paused ?? ''}`.trimEnd());
      }
    });

  webhook
    .command('add')
    .argument('<name>')
    .argument('<url>')
    .option('--types <types>', say(message('cli.optionWebhookTypes')))
    .option('--after <position>', say(message('cli.optionWebhookAfter')))
    .description(say(message('cli.webhookAdd')))
    .action(async (name: string, url: string, options: { readonly types?: string; readonly after?: string }) => {
      const { dataDir, json } = globals();
      const types = (options.types ?? '').split(',').flatMap((type) => type.trim() || []);
      const after = options.after === undefined ? null : wholeNumber('--after', options.after, ANY);
      const added = await operate(dataDir, 'webhook.add', { name, url, types, after });
      const { webhook: id, secret } = added as { webhook: number; secret: string };
      printEither(json, added, say(message('cli.webhookAdded', { webhook: id, secret })));
    });

  webhook
    .command('rotate')
    .argument('<id>')
    .option('--overlap <hours>', say(message('cli.optionOverlap')), '24')
    .description(say(message('cli.webhookRotate')))
    .action(async (id: string, { overlap }: { readonly overlap: string }) => {
      const { dataDir, json } = globals();
      const overlapHours = wholeNumber('--overlap', overlap, { min: 0, max: MAX_OVERLAP_H });
      const rotated = await operate(dataDir, 'webhook.rotate', { webhook: idIn(id), overlapHours });
      const { secret } = rotated as { secret: string };
      printEither(json, rotated, say(message('cli.webhookRotated', { webhook: idIn(id), secret })));
    });

  changeCommands(webhook, globals, say);
}

function changeCommands(webhook: Command, globals: () => GlobalOptions, say: Say): void {
  const change = async (operation: OperationName, id: string, more: object = {}): Promise<void> => {
    const { dataDir, json } = globals();
    await operate(dataDir, operation, { webhook: idIn(id), ...more });
    printEither(json, { webhook: idIn(id) }, say(message('cli.webhookDone', { webhook: idIn(id) })));
  };
  const commands = [
    ['pause', 'webhook.pause', message('cli.webhookPause')],
    ['resume', 'webhook.resume', message('cli.webhookResume')],
    ['remove', 'webhook.remove', message('cli.webhookRemove')],
  ] as const;
  for (const [name, operation, description] of commands)
    webhook
      .command(name)
      .argument('<id>')
      .description(say(description))
      .action((id: string) => change(operation, id));
  webhook
    .command('replay')
    .argument('<id>')
    .argument('<position>')
    .description(say(message('cli.webhookReplay')))
    .action((id: string, position: string) =>
      change('webhook.replay', id, { after: wholeNumber('position', position, ANY) }),
    );
}
