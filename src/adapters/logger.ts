import { type DestinationStream, type Logger, multistream, pino } from 'pino';

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

/**
 * JSON lines: errors to stderr, the rest to stdout. URLs lose their query, and the last segment of a subscription's
 * path, which is the client's secret.
 */
export function createLogger(level: LogLevel, subPath: () => string, to?: DestinationStream): Logger {
  const url = (value: unknown) => hideSecrets(String(value), subPath());
  const options = { level, base: null, redact: { paths: redacted, censor: '…' }, serializers: { url, err: errorOf } };
  if (to) return pino(options, to);
  const streams = [
    { level: 'trace' as const, stream: process.stdout },
    { level: 'error' as const, stream: process.stderr },
  ];
  return pino(options, multistream(streams, { dedupe: true }));
}

/** A URL that may be shown. */
export function hideSecrets(url: string, subPath: string): string {
  const path = url.split(/[?#]/)[0] ?? '';
  const at = path.indexOf(subPath);
  if (subPath !== '/' && at >= 0) return `${path.slice(0, at + subPath.length)}…`;
  return path.replace(/(\/(?:sub|json|clash|getSubLinks|getClientTrafficsById|updateClient|delClient)\/)[^/]+/g, '$1…');
}

/** What people need of an error; not its other members, which libraries fill with requests and answers. */
function errorOf(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? {} : { cause: errorOf(error.cause) };
  return { name: error.name, message: error.message, stack: error.stack, ...cause };
}
