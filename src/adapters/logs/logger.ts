import { type DestinationStream, type Logger, pino } from 'pino';
import { PanelLines } from './panel-lines.js';
import { redact } from './redact.js';

type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Field names whose values are never logged, at the top level and up to two levels deep. */
const SECRETS = [
  'authorization',
  'cookie',
  '"set-cookie"',
  '"x-csrf-token"',
  'password',
  'oldPassword',
  'newPassword',
  'passwordHash',
  'token',
  'apiToken',
  'csrfToken',
  'twoFactorCode',
  'twoFactorToken',
  'subId',
  'privateKey',
];

const redacted = SECRETS.flatMap((name) => {
  const deep = name.startsWith('"') ? `*[${name}]` : `*.${name}`;
  return [name.startsWith('"') ? `[${name}]` : name, deep, `*.${deep}`];
});

/** The log of the panel, and its last lines. */
export interface PanelLogger extends Logger {
  readonly lines: PanelLines;
}

/** What must be redacted from a line. */
export interface Redactions {
  /** The path prefix whose last segment is a client's secret. */
  readonly subPath: () => string;
  readonly secrets?: () => Iterable<string>;
}

/** Lines of this level and above go to stderr. */
const STDERR_LEVEL = 50;

/**
 * JSON lines: errors to stderr, the rest to stdout, and all of them to `lines`. Redacted are the query of URLs, the last
 * segment of a subscription path, which is the client's secret, and everything that looks like a credential.
 */
export function createLogger(level: LogLevel, redactions: Redactions, to: DestinationStream = standard): PanelLogger {
  const lines = new PanelLines();
  const url = (value: unknown) => hideSecrets(String(value), redactions.subPath());
  const options = { level, base: null, redact: { paths: redacted, censor: '…' }, serializers: { url, err: errorOf } };
  const write = (raw: string): void => {
    const line = redact(hidePaths(raw, redactions.subPath()), redactions.secrets?.());
    to.write(line);
    lines.add(line);
  };
  return Object.assign(pino(options, { write }), { lines });
}

const standard: DestinationStream = {
  write(line) {
    const errorStream = Number(/^\{"level":(\d+)/.exec(line)?.[1]) >= STDERR_LEVEL;
    (errorStream ? process.stderr : process.stdout).write(line);
  },
};

/** A URL without its secrets. */
export function hideSecrets(url: string, subPath: string): string {
  return hidePaths(url.split(/[?#]/)[0] ?? '', subPath);
}

/** Redacts path segments that are a client's secret, wherever such a path appears in a text. */
function hidePaths(text: string, subPath: string): string {
  const hidden = text.replace(SECRET_SEGMENT, '$1…');
  if (subPath === '/') return hidden;
  const [first = '', ...others] = hidden.split(subPath);
  return [first, ...others.map((other) => other.replace(SEGMENT, '…'))].join(subPath);
}

const SEGMENT = /^[^/\s"\\?#]+/;
const SECRET_SEGMENT = /(\/(?:sub|json|clash|getSubLinks|getClientTrafficsById|updateClient|delClient)\/)[^/\s"\\?#]+/g;

/** The useful members of an error. Libraries put requests and answers into the others. */
function errorOf(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? {} : { cause: errorOf(error.cause) };
  return { name: error.name, message: error.message, stack: error.stack, ...cause };
}
