import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { defaultSettings, type SettingKey, type Settings } from './events/settings/settings.js';
import { MessageError } from './messages/error.js';
import { message } from './messages/message.js';
import { issueText } from './messages/render.js';

const address = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''));
const releases = (usual: string) => address.default(usual);

/** `PORTOLAN_…`; each is also a flag (`--data-dir`), and a secret may come from the file that `…_FILE` names. */
const Environment = z.object({
  DATA_DIR: z.string().min(1).default('./data'),
  HOST: z.union([z.ipv4(), z.ipv6()]).optional(),
  PORT: z.coerce.number().int().min(0).max(65535).optional(),
  SUB_HOST: z.union([z.ipv4(), z.ipv6()]).optional(),
  SUB_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  BASE_PATH: z
    .string()
    .regex(/^[\w\-./~]*$/)
    .refine((value) => !value.split('/').some((part) => part === '.' || part === '..'), 'may not climb with . or ..')
    .optional(),
  ADMIN_USERNAME: z.string().min(1).max(64).optional(),
  ADMIN_PASSWORD: z.string().min(1).optional(),
  CORE_BIN: z.string().min(1).optional(),
  OPS_PORT: z.coerce.number().int().min(0).max(65535).default(2054),
  /** Series that name clients, for whoever may connect to loopback. Never a setting: the operator decides. */
  METRICS_CLIENTS: z.stringbool().default(false),
  /** Mirrors of the public release pages, for networks that cannot reach them. */
  CORE_RELEASES_URL: releases('https://api.github.com/repos/XTLS/Xray-core/releases'),
  /** Where releases of the panel are published; there is no public place yet. */
  PANEL_RELEASES_URL: address.optional(),
  GEO_RELEASES_URL: releases('https://github.com'),
  WGPROV_URL: releases('https://api.cloudflareclient.com/v0a4005'),
  VPNPROV_URL: releases('https://api.nordvpn.com'),
  /** For tests and closed networks: requests of the panel may go to private addresses. Never a setting. */
  ALLOW_PRIVATE_OUTBOUND: z.stringbool().default(false),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

export type Config = Readonly<z.output<typeof Environment>> & {
  /** Where each value came from, by its name. */
  readonly sources: Readonly<Record<string, Source>>;
  /** The search path and the cache folder of the account that runs the panel. */
  readonly PATH: string | undefined;
  readonly CACHE: string | undefined;
};
type Source = 'flag' | 'environment' | 'file' | 'default';

/** Values that are shown only as present. */
const SECRET: ReadonlySet<string> = new Set(['ADMIN_PASSWORD']);
export const configNames = Object.keys(Environment.shape);

/**
 * The only reader of the environment. Flags win over the environment; the settings in the log and the defaults come
 * after both, where the value is used. Throws `MessageError` for the first invalid value.
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
    const issue = parsed.error.issues[0];
    const name = String(issue?.path[0]);
    const source = sources[name] ?? 'default';
    const why = issueText(parsed.error);
    throw new MessageError(message('start.configInvalid', { variable: `PORTOLAN_${name}`, source, why }));
  }
  const own = { PATH: env['PATH'], CACHE: env['XDG_CACHE_HOME'] };
  return Object.freeze({ ...parsed.data, ...own, DATA_DIR: resolve(parsed.data.DATA_DIR), sources });
}

function lookUp(name: string, env: NodeJS.ProcessEnv, flags: Readonly<Record<string, string | undefined>>) {
  const flag = flags[name];
  if (flag !== undefined) return { source: 'flag' as const, value: flag };
  const value = env[`PORTOLAN_${name}`];
  if (value !== undefined && value !== '') return { source: 'environment' as const, value };
  const file = env[`PORTOLAN_${name}_FILE`];
  if (SECRET.has(name) && file !== undefined)
    return { source: 'file' as const, value: readFileSync(file, 'utf8').trim() };
  return undefined;
}

/** The settings that apply when neither a flag nor the environment gives a value. */
const SETTING_OF: Readonly<Record<string, SettingKey>> = {
  HOST: 'webListen',
  PORT: 'webPort',
  SUB_HOST: 'subListen',
  SUB_PORT: 'subPort',
  BASE_PATH: 'webBasePath',
};

/** What an operator gives to change a value: the flag where it was given as one, the variable where that or nothing was. */
export function changedBy({ sources }: Pick<Config, 'sources'>, name: string): string {
  if (sources[name] === 'flag') return `--${name.toLowerCase().replaceAll('_', '-')}`;
  return `PORTOLAN_${name}`;
}

/** The settings that a flag or the environment overrides, and by what. */
export function overridesOf(
  config: Config,
): Readonly<Partial<Record<SettingKey, { readonly variable: string; readonly value: string | number }>>> {
  const given = Object.entries(SETTING_OF).flatMap(([name, key]) => {
    const value = config[name as keyof Omit<Config, 'sources'>];
    if (config.sources[name] === 'default' || (typeof value !== 'string' && typeof value !== 'number')) return [];
    return [[key, { variable: changedBy(config, name), value }] as const];
  });
  return Object.fromEntries(given);
}

/** For `portolan config show`: each value as it counts, and where it comes from. `settings` is null without a log. */
export function shownConfig(
  config: Config,
  settings: Settings | null,
): readonly { name: string; value: string; source: string }[] {
  return configNames.map((name) => {
    const own = config[name as keyof Omit<Config, 'sources'>];
    const key = SETTING_OF[name];
    const source = config.sources[name] ?? 'default';
    if (source === 'default' && key !== undefined) {
      const value = String((settings ?? defaultSettings)[key]);
      const changed = settings !== null && settings[key] !== defaultSettings[key];
      return { name: `PORTOLAN_${name}`, value, source: changed ? `setting ${key}` : 'default' };
    }
    const shown = own === undefined ? '' : SECRET.has(name) ? '(set)' : String(own);
    return { name: `PORTOLAN_${name}`, value: shown, source };
  });
}
