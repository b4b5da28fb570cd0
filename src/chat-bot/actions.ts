import { randomBytes } from 'node:crypto';
import type { CommandContext, Done } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import { Rejection, reject } from '../commands/rejection.js';
import type { Client } from '../events/client/client-document.js';
import type { Actor } from '../events/log/event.js';
import { digest } from '../lib/digest.js';
import type { PermissionName } from '../lib/permissions.js';
import { message } from '../messages/message.js';
import type { ReadModels } from '../projections/read-models.js';
import type { BotParts } from './parts.js';

/** What a button can do to a client after a confirmation. */
export const clientActions = ['off', 'on', 'reset'] as const;
export type ClientAction = (typeof clientActions)[number];

/** What each button needs. */
export const actionPermissions = {
  off: 'clients:update',
  on: 'clients:update',
  reset: 'clients:reset',
} as const satisfies Record<ClientAction, PermissionName>;

/** A confirmation, or a command that needs none. */
export interface Press {
  readonly actor: Actor;
  /** The ids of the person and of the bot in the messenger. */
  readonly person: number;
  readonly bot: number;
  /** The mark of the button. */
  readonly pressed: string;
}

/** How long a confirmation button works, in ms. */
const VALID_MS = 10 * 60_000;
/** The core has 5 s to stop before it is killed, and the rest to start again. */
const START_TIMEOUT_MS = 15_000;

/** The time and a random part, which let a button work once and for a limited time. */
export function mark(now: number): string {
  return `${now.toString(36)}.${randomBytes(6).toString('base64url')}`;
}

export function isFresh(pressed: string, now: number): boolean {
  const made = Number.parseInt(pressed.split('.', 1)[0] ?? '', 36);
  return Number.isSafeInteger(made) && made <= now && now - made <= VALID_MS;
}

/** The context of a command. Its ID makes a button that is pressed twice, or again after a restart, take effect once. */
export function contextOf({ actor, person, bot, pressed }: Press, what: string): CommandContext {
  const key = `chat-bot/${bot}/${person}/${pressed}/${what}`;
  return { actor, correlationId: `chat-bot/${pressed}`, commandId: { key, fingerprint: digest(what) } };
}

/** Applies the action to the client in every inbound. Stops at the first rejection. */
export async function applyAction(
  client: Client,
  action: ClientAction,
  { read, change }: { readonly read: ReadModels; readonly change: BotParts['change'] },
  context: (what: string) => CommandContext,
): Promise<Done | Rejection> {
  const events: Done['events'][number][] = [];
  for (const command of action === 'reset'
    ? [resetting(client)]
    : read.clients.siblings(client).map(switching(action === 'on'))) {
    const what = 'inbound' in command.data ? `${action} ${client.number} ${command.data.inbound ?? 'all'}` : action;
    const done = await change(() => command, context(what));
    if (done instanceof Rejection) return done;
    events.push(...done.events);
  }
  return { events };
}

function resetting({ identity: { email } }: Client): Extract<AnyCommand, { type: 'ResetClientTraffic' }> {
  return { type: 'ResetClientTraffic', data: { inbound: null, email } };
}

const switching =
  (enabled: boolean) =>
  ({ inbound, spec, identity, credential }: Client): Extract<AnyCommand, { type: 'UpdateClient' }> => {
    const draft = { spec: { ...spec, enabled }, identity, credential };
    return { type: 'UpdateClient', data: { inbound, client: { email: identity.email }, draft } };
  };

/** Restarts the core, if it would start with its configuration. Null = it is running again. */
export async function restartCore(
  { core, dispatch }: Pick<BotParts, 'core' | 'dispatch'>,
  context: CommandContext,
): Promise<Rejection | null> {
  const problem = await core.problem();
  if (problem) return problem;
  const done = dispatch({ type: 'RestartCore', data: {} }, context);
  if (done instanceof Rejection) return done;
  const started = await core.outcome(
    done.events.at(-1)?.position ?? 0,
    ['CoreStarted', 'CoreFailed'],
    START_TIMEOUT_MS,
  );
  if (started?.type === 'CoreStarted') return null;
  const why =
    started?.type === 'CoreFailed' ? started.data.reason : message('bot.coreNotStarted', { span: START_TIMEOUT_MS });
  return reject('CORE_FAILED', { why });
}
