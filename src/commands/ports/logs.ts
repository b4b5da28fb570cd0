import type { JsonObject } from '../../lib/json.js';
import { MessageError } from '../../messages/error.js';

/** From the lowest to the highest severity. */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogQuery {
  /** Lines at most. */
  readonly count: number;
  /** The lowest severity to return. */
  readonly least: LogLevel;
  /** Name of the time zone of the stamps; 'Local' is that of the machine. */
  readonly zone: string;
}

/** The outcome of a request, by the protocol of the outbound that handled it. */
export type AccessKind = 'direct' | 'blocked' | 'proxied';

export interface AccessQuery {
  readonly count: number;
  /** A part of the line, in any case; empty for all. No pattern. */
  readonly keyword: string;
  readonly kinds: ReadonlySet<AccessKind>;
  /** The template that the core runs. */
  readonly template: JsonObject;
}

/** A line of the core's access log. Missing parts are empty. */
export interface AccessLine {
  /** Without control characters, and cut. */
  readonly text: string;
  /** ISO 8601 in UTC with microseconds. */
  readonly at: string;
  readonly from: string;
  readonly to: string;
  readonly inbound: string;
  readonly outbound: string;
  readonly email: string;
  readonly kind: AccessKind;
}

/** The logs of the panel and of the core, for people. All answers are oldest first, and no line holds a secret. */
export interface Logs {
  panel(query: LogQuery): readonly string[];
  /** The lines of the panel's service in the journal of the system. Rejects with `LogError`. */
  journal(query: LogQuery): Promise<readonly string[]>;
  /** Null when the template switches access logging off. Rejects with `LogError`. */
  access(query: AccessQuery): Promise<readonly AccessLine[] | null>;
}

/** Why a log cannot be read, for people. */
export class LogError extends MessageError {
  override readonly name = 'LogError';
}
