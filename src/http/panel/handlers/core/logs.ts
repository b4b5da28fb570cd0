import {
  type AccessKind,
  type AccessLine,
  LogError,
  type LogLevel,
  logLevels,
} from '../../../../commands/ports/logs.js';
import { reject } from '../../../../commands/rejection.js';
import { message } from '../../../../messages/message.js';
import type { Needs } from '../../context.js';
import type { logRoutes } from '../../contract/core/logs.js';
import type { Handlers } from '../../mount.js';
import { Message } from '../../outcomes.js';

const MAX_LINES = 10_000;
const OFF = message('core.accessLogOff');

/** The names and numbers of syslog levels, as clients of 3x-ui send them too. No level = all lines. */
const levels: ReadonlyMap<string, LogLevel> = new Map<string, LogLevel>([
  ...logLevels.map((level): [string, LogLevel] => [level, level]),
  ...['emerg', 'alert', 'crit', 'err', '0', '1', '2', '3'].map((name): [string, LogLevel] => [name, 'error']),
  ...([
    ['', 'debug'],
    ['warn', 'warning'],
    ['4', 'warning'],
    ['5', 'notice'],
    ['6', 'info'],
    ['7', 'debug'],
  ] as const),
]);

const events: Readonly<Record<AccessKind, number>> = { direct: 0, blocked: 1, proxied: 2 };

interface Shown {
  readonly showDirect: boolean | undefined;
  readonly showBlocked: boolean | undefined;
  readonly showProxy: boolean | undefined;
}

export const logHandlers: Handlers<typeof logRoutes, Needs<'core' | 'logs' | 'read'>> = {
  async logs({ params, body }, { logs, read }) {
    const count = countIn(params.count);
    const least = levels.get(body.level.toLowerCase());
    if (count === null) return reject('COUNT_INVALID', { value: params.count.slice(0, 100) });
    if (least === undefined) return reject('LEVEL_INVALID', { value: body.level.slice(0, 100) });
    const { timeLocation: zone, apiDialect } = read.settings.current();
    const query = { count, least, zone };
    try {
      const lines = body.syslog === true ? await logs.journal(query) : logs.panel(query);
      if (apiDialect === 'spec') return lines.join('\n');
      return body.syslog === true ? [...lines] : lines.toReversed();
    } catch (error) {
      return refused(error);
    }
  },

  async corelogs({ params, body }, { logs, read, core }) {
    const count = countIn(params.count);
    if (count === null) return reject('COUNT_INVALID', { value: params.count.slice(0, 100) });
    const { apiDialect } = read.settings.current();
    const kinds = apiDialect === 'spec' ? included(body) : notExcluded(body);
    const template = core.process.appliedTemplate() ?? read.desired.template();
    try {
      const lines = await logs.access({ count, keyword: body.filter, kinds, template });
      if (lines === null) return new Message(OFF, apiDialect === 'spec' ? '' : []);
      return apiDialect === 'spec' ? lines.map(({ text }) => text).join('\n') : lines.map(entryOf);
    } catch (error) {
      return refused(error);
    }
  },
};

/** Null for anything but a decimal integer from 1 to 10000. */
function countIn(text: string): number | null {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= MAX_LINES ? Number(text) : null;
}

/** Kinds whose flag is true; if none is, those whose flag is not false. */
function included({ showDirect, showBlocked, showProxy }: Shown): ReadonlySet<AccessKind> {
  const wanted = new Set<AccessKind>();
  if (showDirect) wanted.add('direct');
  if (showBlocked) wanted.add('blocked');
  if (showProxy) wanted.add('proxied');
  return wanted.size > 0 ? wanted : notExcluded({ showDirect, showBlocked, showProxy });
}

function notExcluded({ showDirect, showBlocked, showProxy }: Shown): ReadonlySet<AccessKind> {
  const wanted = new Set<AccessKind>(['direct', 'blocked', 'proxied']);
  if (showDirect === false) wanted.delete('direct');
  if (showBlocked === false) wanted.delete('blocked');
  if (showProxy === false) wanted.delete('proxied');
  return wanted;
}

function entryOf({ at, from, to, inbound, outbound, email, kind }: AccessLine) {
  return {
    DateTime: at,
    FromAddress: from,
    ToAddress: to,
    Inbound: inbound,
    Outbound: outbound,
    Email: email,
    Event: events[kind],
  };
}

function refused(error: unknown) {
  if (error instanceof LogError) return reject('LOG_UNREADABLE', { why: error.text });
  throw error;
}
