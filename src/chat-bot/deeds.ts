import { randomBytes } from 'node:crypto';
import type { CommandContext, Done } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import { Rejection, reject } from '../commands/rejection.js';
import type { Client } from '../events/client/client-document.js';
import { digest } from '../lib/digest.js';
import type { BotParts } from './parts.js';

/** What a button may do to a client, once somebody has said yes. */
export const deeds = ['off', 'on', 'reset'] as const;
export type Deed = (typeof deeds)[number];

/** Who presses. */
export interface Presser {
  readonly id: number;
  readonly name: string;
}

/** A yes counts this long, in ms: a forgotten button does nothing tomorrow. */
const VALID_MS = 10 * 60_000;
/** As long as the core may take to stop (5 s, then by force) and to start again. */
const PATIENCE_MS = 15_000;

/** What makes a button work once and not for ever: the time in it, and chance. */
export function mark(now: number): string {
  return `${now.toString(36)}.${randomBytes(6).toString('base64url')}`;
}

export function isFresh(pressed: string, now: number): boolean {
  const made = Number.parseInt(pressed.split('.', 1)[0] ?? '', 36);
  return Number.isSafeInteger(made) && made <= now && now - made <= VALID_MS;
}

/** Whose doing it is in the log; the same button twice, or after a restart, has one effect. */
export function contextOf(by: Presser, bot: number, pressed: string, what: string): CommandContext {
  const actor = { kind: 'bot', id: String(by.id), name: by.name, ip: null } as const;
  const key = `chat-bot/${bot}/${by.id}/${pressed}/${what}`;
  return { actor, correlationId: `chat-bot/${pressed}`, commandId: { key, fingerprint: digest(what) } };
}

/** Does it to the person in every inbound. The first rejection ends it. */
export async function doTo(
  client: Client,
  deed: Deed,
  { read, change }: Pick<BotParts, 'read' | 'change'>,
  context: (what: string) => CommandContext,
): Promise<Done | Rejection> {
  const events: Done['events'][number][] = [];
  for (const command of deed === 'reset'
    ? [resetting(client)]
    : read.clients.siblings(client).map(switching(deed === 'on'))) {
    const what = 'inbound' in command.data ? `${deed} ${client.number} ${command.data.inbound ?? 'all'}` : deed;
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

/** Starts the core anew, if it would start. Null = it runs. */
export async function restartCore(
  { coreFlaw, dispatch, outcome }: Pick<BotParts, 'coreFlaw' | 'dispatch' | 'outcome'>,
  context: CommandContext,
): Promise<Rejection | null> {
  const flaw = await coreFlaw();
  if (flaw) return flaw;
  const done = dispatch({ type: 'RestartCore', data: {} }, context);
  if (done instanceof Rejection) return done;
  const started = await outcome(done.events.at(-1)?.position ?? 0, ['CoreStarted', 'CoreFailed'], PATIENCE_MS);
  if (started?.type === 'CoreStarted') return null;
  const why = started?.type === 'CoreFailed' ? started.data.reason : 'it has not started yet after 15 seconds';
  return reject('CORE_FAILED', { why });
}
