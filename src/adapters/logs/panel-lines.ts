import { type LogLevel, type LogQuery, logLevels } from '../../commands/ports/logs.js';
import { isObject } from '../../lib/json.js';
import { cleanLine } from './clean.js';

interface Line {
  /** ms since 1970. */
  readonly at: number;
  readonly level: LogLevel;
  readonly text: string;
}

const MAX_LINES = 10_240;
const MAX_LINE_CHARS = 2000;
/** Metadata members, not part of the message. */
const FRAME = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'v']);

/** The last lines of the panel's log, in readable form. */
export class PanelLines {
  readonly #lines: Line[] = [];
  #next = 0;

  /** Adds a JSON line as the logger writes it. */
  add(json: string): void {
    const line = lineOf(json);
    if (line === null) return;
    this.#lines[this.#next] = line;
    this.#next = (this.#next + 1) % MAX_LINES;
  }

  /** Oldest first. */
  last({ count, least, zone }: LogQuery): readonly string[] {
    const from = logLevels.indexOf(least);
    const found: Line[] = [];
    for (let back = 1; back <= this.#lines.length && found.length < count; back += 1) {
      const line = this.#lines[(this.#next - back + MAX_LINES) % MAX_LINES];
      if (line !== undefined && logLevels.indexOf(line.level) >= from) found.push(line);
    }
    const stamp = stampIn(zone);
    return found.reverse().map(({ at, level, text }) => `${stamp(at)} ${level.toUpperCase()} - ${text}`);
  }
}

function lineOf(json: string): Line | null {
  let fields: unknown;
  try {
    fields = JSON.parse(json);
  } catch {
    return null;
  }
  if (!isObject(fields)) return null;
  const details = Object.entries(fields)
    .filter(([name]) => !FRAME.has(name))
    .map(([name, value]) => `${name}=${shown(value)}`);
  const message = typeof fields['msg'] === 'string' ? fields['msg'] : '';
  return {
    at: Number(fields['time']) || 0,
    level: levelOf(Number(fields['level'])),
    text: cleanLine([message, ...details].join(' '), MAX_LINE_CHARS),
  };
}

function levelOf(number: number): LogLevel {
  if (number >= 50) return 'error';
  if (number >= 40) return 'warning';
  return number >= 30 ? 'info' : 'debug';
}

/** The message of an error; its stack is only in the log itself. */
function shown(value: unknown): string {
  if (isObject(value) && typeof value['message'] === 'string') return value['message'];
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** `2026/05/13 12:00:00` in a time zone; the machine's own if the system does not know the zone. */
function stampIn(zone: string): (at: number) => string {
  const format = formatIn(zone);
  return (at) => format.format(at).replaceAll('-', '/');
}

function formatIn(zone: string): Intl.DateTimeFormat {
  const usual = { dateStyle: 'short', timeStyle: 'medium' } as const;
  try {
    return new Intl.DateTimeFormat('sv-SE', zone === 'Local' ? usual : { ...usual, timeZone: zone });
  } catch {
    return new Intl.DateTimeFormat('sv-SE', usual);
  }
}
