import { eventType, type RecordedEvent } from '../events/catalog.js';
import { timeText } from '../lib/words.js';
import { actorText } from '../projections/story.js';

/** A command that could not do what it was asked; the message is for people. Exit code 1. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** One JSON value on a line, or a line for people. */
export function printEither(json: boolean, value: unknown, text: string): void {
  print(json ? JSON.stringify(value) : text);
}

/** Sealed fields that name people rather than let somebody in. The others are shown as present only. */
const PERSONAL: ReadonlySet<string> = new Set(['identity', 'ips', 'attempt']);

/** The event as an auditor may see it: no credential, key or token. */
export function maskedData(event: RecordedEvent): Record<string, unknown> {
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

export function eventLine(event: RecordedEvent): string {
  const { position, stream, type, meta } = event;
  return `${timeText(meta.at)}  #${position}  ${stream}  ${type}  ${JSON.stringify(maskedData(event))}  by ${actorText(meta)}`;
}
