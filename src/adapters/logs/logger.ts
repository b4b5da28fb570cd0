import { type DestinationStream, type Logger, pino } from 'pino';
import { PanelLines } from './panel-lines.js';
import { redact } from './redact.js';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Names of fields whose value never reaches a log, at the top and one and two levels down. */
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

/** The log of the panel, and what it said last. */
export interface PanelLogger extends Logger {
  readonly lines: PanelLines;
}

/** What a line may not show. */
export interface Unspoken {
  /** Under which a client's secret is the last segment of a path. */
  readonly subPath: () => string;
  readonly secrets?: () => Iterable<string>;
}

/** From here on a line goes to stderr. */
const GRAVE = 50;

/**
 * JSON lines: errors to stderr, the rest to stdout, all of them into `lines`. URLs lose their query, and the last segment
 * of a subscription's path, which is the client's secret; what looks like a credential is hidden wherever it stands.
 */
export function createLogger(level: LogLevel, unspoken: Unspoken, to: DestinationStream = standard): PanelLogger {
  const lines = new PanelLines();
  const url = (value: unknown) => hideSecrets(String(value), unspoken.subPath());
  const options = { level, base: null, redact: { paths: redacted, censor: '…' }, serializers: { url, err: errorOf } };
  const write = (raw: string): void => {
    const line = redact(hidePaths(raw, unspoken.subPath()), unspoken.secrets?.());
    to.write(line);
    lines.add(line);
  };
  return Object.assign(pino(options, { write }), { lines });
}

const standard: DestinationStream = {
  write(line) {
    const grave = Number(/^\{"level":(\d+)/.exec(line)?.[1]) >= GRAVE;
    (grave ? process.stderr : process.stdout).write(line);
  },
};

/** A URL that may be shown. */
export function hideSecrets(url: string, subPath: string): string {
  return hidePaths(url.split(/[?#]/)[0] ?? '', subPath);
}

/** Segments of paths that are the secret of a client, wherever such a path stands in a text. */
function hidePaths(text: string, subPath: string): string {
  const hidden = text.replace(SECRET_SEGMENT, '$1…');
  if (subPath === '/') return hidden;
  const [first = '', ...others] = hidden.split(subPath);
  return [first, ...others.map((other) => other.replace(SEGMENT, '…'))].join(subPath);
}

const SEGMENT = /^[^/\s"\\?#]+/;
const SECRET_SEGMENT = /(\/(?:sub|json|clash|getSubLinks|getClientTrafficsById|updateClient|delClient)\/)[^/\s"\\?#]+/g;

/** What people need of an error; not its other members, which libraries fill with requests and answers. */
function errorOf(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? {} : { cause: errorOf(error.cause) };
  return { name: error.name, message: error.message, stack: error.stack, ...cause };
}
