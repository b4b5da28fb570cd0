import { eventType, type RecordedEvent } from '../events/catalog.js';
import { visible } from '../lib/errors/print-problem.js';
import { timeText } from '../lib/words.js';
import { message, type Text } from '../messages/message.js';
import { render } from '../messages/render.js';
import { type Coded, coded } from '../messages/rendered.js';
import type { Say } from '../messages/terminal.js';
import { actorText } from '../projections/why/history.js';

/** Escapes control characters, which a terminal would execute. In JSON the value stays the same. */
export function print(lines: string): void {
  process.stdout.write(`${visible(lines)}\n`);
}

const english = (text: Text): string => render(text, 'en');

/**
 * A value for programs: every text in it as an English sentence, whatever the language of the command line, with its code
 * beside it: `why` and `whyCode`.
 */
export function inEnglish<T>(value: T): Coded<T> {
  return coded(value, english);
}

/** One JSON value on a line, or a line for people. */
export function printEither(json: boolean, value: unknown, text: string): void {
  print(json ? JSON.stringify(value) : text);
}

/** Sealed fields that identify people and are not credentials. Of all others, only their presence is shown. */
const PERSONAL: ReadonlySet<string> = new Set(['identity', 'ips', 'attempt', 'details', 'label']);

/** The event as an auditor may see it: no credential, key or token. */
function maskedData(event: RecordedEvent): Record<string, unknown> {
  const seals = eventType(event.type)?.seals ?? {};
  const entries = Object.entries(event.data).map(([field, value]) => {
    if (field === 'credentials') return [field, { ...(value as object), passwordHash: '(sealed)' }];
    return [field, field in seals && !PERSONAL.has(field) ? '(sealed)' : value];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

export function masked(event: RecordedEvent): Record<string, unknown> {
  const { position, id, stream, version, type, meta } = event;
  return { position, id, stream, version, type, at: new Date(meta.at).toISOString(), data: maskedData(event), meta };
}

export function eventLine(event: RecordedEvent, say: Say): string {
  const { position, stream, type, meta } = event;
  return `${timeText(meta.at)}  #${position}  ${stream}  ${type}  ${JSON.stringify(maskedData(event))}  ${say(message('cli.eventBy', { by: actorText(meta) }))}`;
}
