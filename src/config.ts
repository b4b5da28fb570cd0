import { resolve } from 'node:path';
import { z } from 'zod';
import { readSecret } from './adapters/data-directory/secret-file.js';
import { defaultSettings, type SettingKey, type Settings } from './events/settings/settings.js';
import { UsageError } from './lib/errors/operator-error.js';
import { textOf } from './messages/error.js';
import { issue, issueOf } from './messages/issue.js';
import { message, type Text } from './messages/message.js';

const address = z
  .url({ protocol: /^https?$/, error: issue('input.notWebAddress') })
  .transform((text) => text.replace(/\/+$/, ''));
const wholeNumber = (range: { readonly min: number; readonly max: number }) =>
  z
    .string()
    .regex(/^-?\d+$/, issue('input.notWholeNumber'))
    .transform(Number)
    .pipe(z.number().min(range.min, issue('input.notBetween', range)).max(range.max, issue('input.notBetween', range)));
const port = wholeNumber({ min: 0, max: 65535 });
const ip = z.union([z.ipv4(), z.ipv6()], issue('input.notIpAddress'));
const flag = z.stringbool(issue('input.notBoolean'));
const nonEmpty = z.string().min(1, issue('input.missing'));
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
const CLUSTER_ACKS = ['local', 'quorum', 'quorum+1'] as const;
const CLUSTER_ROLES = ['member', 'subscriptions'] as const;
const MAX_USERNAME = 64;
const MAX_PROCESSES = 64;
const releases = (url: string) => address.default(url);

/** `PORTOLAN_…`; each is also a flag (`--data-dir`), and a secret may come from the file that `…_FILE` names. */
const Environment = z.object({
  DATA_DIR: nonEmpty.default('./data'),
  HOST: ip.optional(),
  PORT: port.optional(),
  SUB_HOST: ip.optional(),
  SUB_PORT: port.optional(),
  /** Processes that answer subscriptions beside the panel; by default one for each two processors. */
  SUB_PROCESSES: z
    .string()
    .regex(/^\d+$/, issue('input.notWholeNumber'))
    .transform(Number)
    .pipe(z.number().max(MAX_PROCESSES, issue('input.notBetween', { min: 0, max: MAX_PROCESSES })))
    .optional(),
  BASE_PATH: z
    .string()
    .regex(/^[\w\-./~]*$/, issue('input.notPath'))
    .refine((value) => !value.split('/').some((part) => part === '.' || part === '..'), issue('input.notPath'))
    .optional(),
  ADMIN_USERNAME: nonEmpty.max(MAX_USERNAME, issue('input.tooLong', { limit: MAX_USERNAME })).optional(),
  ADMIN_PASSWORD: nonEmpty.optional(),
  CORE_BIN: nonEmpty.optional(),
  OPS_PORT: port.default(2054),
  /** Metrics that name clients. Every local process can read them, so this is not a setting: the operator decides. */
  METRICS_CLIENTS: flag.default(false),
  /** NATS servers of the cluster, `nats://…` or `tls://…`, several separated by commas; unset = this machine is alone. */
  CLUSTER_URL: z
    .string()
    .regex(/^(nats|tls):\/\/[^\s,]+(,(nats|tls):\/\/[^\s,]+)*$/, issue('input.notNatsAddress'))
    .refine((list) => list.split(',').every(isUrl), issue('input.notNatsAddress'))
    .optional(),
  /** The name of this machine in the cluster; by default its host name. */
  CLUSTER_NAME: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, issue('input.notMemberName'))
    .optional(),
  /** Host name or IP address at which clients reach the inbounds of this machine, for links. */
  CLUSTER_ADDRESS: z
    .string()
    .regex(/^[\w.\-:[\]]+$/, issue('input.notHostName'))
    .optional(),
  /** Files: NATS credentials, and PEM files for TLS. */
  CLUSTER_CREDENTIALS: nonEmpty.optional(),
  CLUSTER_CA: nonEmpty.optional(),
  CLUSTER_CERT: nonEmpty.optional(),
  CLUSTER_KEY: nonEmpty.optional(),
  /** When a change is acknowledged: once it is on this machine, a quorum of the servers has it, or also the log of a follower. */
  CLUSTER_ACK: z.enum(CLUSTER_ACKS, issue('input.notOneOf', { known: CLUSTER_ACKS })).default('quorum'),
  /** How many days the stream keeps an event: a member that was away for longer needs a new copy of the log. */
  CLUSTER_KEEP_DAYS: wholeNumber({ min: 1, max: 3650 }).default(7),
  /** `subscriptions`: this machine only answers subscriptions, and has no master key. */
  CLUSTER_ROLE: z.enum(CLUSTER_ROLES, issue('input.notOneOf', { known: CLUSTER_ROLES })).default('member'),
  /** Mirrors of the public release pages, for networks that cannot reach them. */
  CORE_RELEASES_URL: releases('https://api.github.com/repos/XTLS/Xray-core/releases'),
  /** Where releases of the panel are published; there is no public place yet. */
  PANEL_RELEASES_URL: address.optional(),
  GEO_RELEASES_URL: releases('https://github.com'),
  WGPROV_URL: releases('https://api.cloudflareclient.com/v0a4005'),
  VPNPROV_URL: releases('https://api.nordvpn.com'),
  /** For tests and closed networks: requests of the panel may go to private addresses. This is not a setting either. */
  ALLOW_PRIVATE_OUTBOUND: flag.default(false),
  LOG_LEVEL: z.enum(LOG_LEVELS, issue('input.notOneOf', { known: LOG_LEVELS })).default('info'),
});

export type Config = Readonly<z.output<typeof Environment>> & {
  /** Where each value came from, by its name. */
  readonly sources: Readonly<Record<string, Source>>;
  /** The search path and the cache folder of the account that runs the panel. */
  readonly PATH: string | undefined;
  readonly CACHE: string | undefined;
};
type Source = 'flag' | 'environment' | 'file' | 'default';

const SOURCE_TEXTS = {
  flag: 'start.fromFlag',
  environment: 'start.fromEnvironment',
  file: 'start.fromFile',
  default: 'start.fromDefault',
} as const;

/** Values that are shown only as present. */
const SECRET: ReadonlySet<string> = new Set(['ADMIN_PASSWORD', 'CLUSTER_URL']);
export const configNames = Object.keys(Environment.shape);

/**
 * The only reader of the environment. Flags win over the environment; the settings in the log and the defaults come
 * after both, where the value is used. Throws `UsageError` for the first invalid value.
 */
export function readConfig(env: NodeJS.ProcessEnv, flags: Readonly<Record<string, string | undefined>> = {}): Config {
  const raw: Record<string, string> = {};
  const sources: Record<string, Source> = {};
  for (const name of configNames) {
    const found = lookUp(name, env, flags);
    sources[name] = found?.source ?? 'default';
    if (found) raw[name] = found.value;
  }
  const parsed = Environment.safeParse(raw);
  if (!parsed.success) {
    const [first] = parsed.error.issues;
    const name = String(first?.path[0]);
    const source = message(SOURCE_TEXTS[sources[name] ?? 'default']);
    const why = issueOf(parsed.error);
    const variable = changedBy({ sources }, name);
    if (SECRET.has(name)) throw new UsageError(message('start.secretInvalid', { variable, source, why }));
    throw new UsageError(message('start.configInvalid', { variable, value: raw[name] ?? '', source, why }));
  }
  const own = { PATH: env['PATH'], CACHE: env['XDG_CACHE_HOME'] };
  return Object.freeze({ ...parsed.data, ...own, DATA_DIR: resolve(parsed.data.DATA_DIR), sources });
}

/** Whether it is a URL whose login can be decoded. */
function isUrl(text: string): boolean {
  try {
    const { username, password } = new URL(text);
    decodeURIComponent(`${username}${password}`);
    return true;
  } catch {
    return false;
  }
}

function lookUp(name: string, env: NodeJS.ProcessEnv, flags: Readonly<Record<string, string | undefined>>) {
  const flag = flags[name];
  if (flag !== undefined) return { source: 'flag' as const, value: flag };
  const value = env[`PORTOLAN_${name}`];
  if (value !== undefined && value !== '') return { source: 'environment' as const, value };
  const file = env[`PORTOLAN_${name}_FILE`];
  if (SECRET.has(name) && file !== undefined && file !== '')
    return { source: 'file' as const, value: secretIn(file, `PORTOLAN_${name}_FILE`) };
  return undefined;
}

function secretIn(file: string, variable: string): string {
  try {
    return readSecret(file).trim();
  } catch (error) {
    throw new UsageError(message('start.fileInvalid', { variable, why: textOf(error) }), { cause: error });
  }
}

/** The settings that apply when neither a flag nor the environment gives a value. */
const SETTING_OF: Readonly<Record<string, SettingKey>> = {
  HOST: 'webListen',
  PORT: 'webPort',
  SUB_HOST: 'subListen',
  SUB_PORT: 'subPort',
  BASE_PATH: 'webBasePath',
};

/** How the operator changes a value: by the flag that gave it, otherwise by the variable. */
export function changedBy({ sources }: Pick<Config, 'sources'>, name: string): string {
  if (sources[name] === 'flag') return `--${name.toLowerCase().replaceAll('_', '-')}`;
  return `PORTOLAN_${name}`;
}

/** The settings that a flag or the environment overrides, and by what. */
export function overridesOf(
  config: Config,
): Readonly<Partial<Record<SettingKey, { readonly variable: string; readonly value: string | number }>>> {
  const overrides = Object.entries(SETTING_OF).flatMap(([name, key]) => {
    const value = config[name as keyof Omit<Config, 'sources'>];
    if (config.sources[name] === 'default' || (typeof value !== 'string' && typeof value !== 'number')) return [];
    return [[key, { variable: changedBy(config, name), value }] as const];
  });
  return Object.fromEntries(overrides);
}

interface ShownValue {
  readonly name: string;
  /** Null: a secret, which is set. */
  readonly value: string | null;
  readonly source: Source;
  /** The setting in the log that gives the value, or null. */
  readonly setting: SettingKey | null;
}

/** For `portolan config show`: each effective value, and where it comes from. `settings` is null without a log. */
export function shownConfig(config: Config, settings: Settings | null): readonly ShownValue[] {
  return configNames.map((name) => {
    const own = config[name as keyof Omit<Config, 'sources'>];
    const key = SETTING_OF[name];
    const source = config.sources[name] ?? 'default';
    if (source === 'default' && key !== undefined) {
      const value = String((settings ?? defaultSettings)[key]);
      const changed = settings !== null && settings[key] !== defaultSettings[key];
      return { name: `PORTOLAN_${name}`, value, source, setting: changed ? key : null };
    }
    const value = own === undefined ? '' : SECRET.has(name) ? null : String(own);
    return { name: `PORTOLAN_${name}`, value, source, setting: null };
  });
}

/** Where a value comes from, for people. */
export function sourceText({ source, setting }: Pick<ShownValue, 'source' | 'setting'>): Text {
  return setting === null ? message(SOURCE_TEXTS[source]) : message('start.fromSetting', { key: setting });
}
