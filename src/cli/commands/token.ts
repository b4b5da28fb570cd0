import type { Command } from 'commander';
import { panelState } from '../../commands/state.js';
import { operate } from '../../control/control.js';
import { begin, catchUp } from '../../events/log/replay.js';
import { newTokenSecret } from '../../lib/secrets/token-secret.js';
import { timeText } from '../../lib/words.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { wholeNumber } from '../option-values.js';
import { printEither } from '../output.js';
import { type GlobalOptions, reading } from '../reading.js';

const DAY_MS = 86_400_000;
const MAX_DAYS = 36_500;
const MAX_HOURS = 720;

interface CreateOptions {
  readonly role: string;
  readonly inbounds?: string;
  readonly admin?: string;
  readonly days?: string;
  readonly allow?: string;
}

interface EditOptions extends Partial<CreateOptions> {
  readonly name?: string;
}

const listed = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const numbered = (inbounds = ''): readonly number[] =>
  listed(inbounds).map((id) => wholeNumber('--inbounds', id, { min: 1, max: Number.MAX_SAFE_INTEGER }));

/** In ms since 1970; 0 = never. */
function expiryIn(days: string): number {
  const lifetime = wholeNumber('--days', days, { min: 0, max: MAX_DAYS }) * DAY_MS;
  return lifetime === 0 ? 0 : Date.now() + lifetime;
}

/** `portolan token …`: manages access tokens, whether the panel runs or not. The secret stays in this process. */
export function tokenCommands(program: Command, globals: () => GlobalOptions, say: Say): void {
  const token = program.command('token').description(say(message('cli.token')));

  token
    .command('create')
    .argument('<name>')
    .requiredOption('--role <role>', say(message('cli.optionTokenRole')))
    .option('--inbounds <ids>', say(message('cli.optionTokenInbounds')))
    .option('--admin <name>', say(message('cli.optionTokenAdmin')))
    .option('--days <days>', say(message('cli.optionTokenDays')))
    .option('--allow <networks>', say(message('cli.optionTokenAllow')))
    .description(say(message('cli.tokenCreate')))
    .action(async (name: string, { role, inbounds, admin = '', days = '0', allow }: CreateOptions) => {
      const { dataDir, json } = globals();
      const { secret, ...stored } = newTokenSecret();
      await operate(dataDir, 'token.create', {
        ...{ name, role, admin, addresses: listed(allow), ...stored },
        inbounds: numbered(inbounds),
        expiresAt: expiryIn(days),
      });
      printEither(json, { name, secret }, say(message('cli.tokenSecret', { name, secret })));
    });

  editCommand(token, globals, say);

  token
    .command('list')
    .description(say(message('cli.tokenList')))
    .action(() => {
      const { dataDir, json } = globals();
      const state = begin(panelState);
      reading(dataDir, ({ log }) => catchUp(log, [state]));
      for (const { hash: _, previous, ...known } of state.state.access.tokens.values()) {
        const { id, name, prefix, role, expiresAt, used } = known;
        const never = say(message('cli.tokenNever'));
        const times = [expiresAt, used?.at ?? 0].map((at) => (at === 0 ? never : timeText(at)));
        const shown = { ...known, previousUntil: previous?.until ?? null };
        printEither(json, shown, [id, name, `${prefix}…`, role, ...times].join('  '));
      }
    });

  token
    .command('rotate')
    .argument('<name>')
    .option('--overlap <hours>', say(message('cli.optionTokenOverlap')))
    .description(say(message('cli.tokenRotate')))
    .action(async (name: string, { overlap = '0' }: { readonly overlap?: string }) => {
      const { dataDir, json } = globals();
      const { secret, ...stored } = newTokenSecret();
      const overlapHours = wholeNumber('--overlap', overlap, { min: 0, max: MAX_HOURS });
      await operate(dataDir, 'token.rotate', { name, overlapHours, ...stored });
      printEither(json, { name, secret }, say(message('cli.tokenSecret', { name, secret })));
    });

  token
    .command('revoke')
    .argument('<name>')
    .description(say(message('cli.tokenRevoke')))
    .action(async (name: string) => {
      const { dataDir, json } = globals();
      await operate(dataDir, 'token.revoke', { name });
      printEither(json, { name }, say(message('cli.tokenDone', { name })));
    });
}

/** `portolan token edit`: what no option names stays as it is. */
function editCommand(token: Command, globals: () => GlobalOptions, say: Say): void {
  token
    .command('edit')
    .argument('<name>')
    .option('--name <name>', say(message('cli.optionTokenName')))
    .option('--role <role>', say(message('cli.optionTokenRole')))
    .option('--inbounds <ids>', say(message('cli.optionTokenInbounds')))
    .option('--admin <name>', say(message('cli.optionTokenAdmin')))
    .option('--days <days>', say(message('cli.optionTokenDays')))
    .option('--allow <networks>', say(message('cli.optionTokenAllow')))
    .description(say(message('cli.tokenEdit')))
    .action(async (named: string, { name, role, inbounds, admin, days, allow }: EditOptions) => {
      const { dataDir, json } = globals();
      await operate(dataDir, 'token.edit', {
        token: named,
        ...(name === undefined ? {} : { name }),
        ...(role === undefined ? {} : { role }),
        ...(inbounds === undefined ? {} : { inbounds: numbered(inbounds) }),
        ...(admin === undefined ? {} : { admin }),
        ...(days === undefined ? {} : { expiresAt: expiryIn(days) }),
        ...(allow === undefined ? {} : { addresses: listed(allow) }),
      });
      printEither(json, { name: name ?? named }, say(message('cli.tokenEdited', { name: name ?? named })));
    });
}
