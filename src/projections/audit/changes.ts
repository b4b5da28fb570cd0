import type { RecordedEvent } from '../../events/catalog.js';
import type { LogSearch } from '../../events/log/log-search.js';
import { defaultSettings, type SettingKey } from '../../events/settings/settings.js';
import { atOnce, type Steps } from '../../lib/time/slices.js';

/** One value that an event changed. */
export interface Change {
  /** The name of the field in the event, or the path of a secret. */
  readonly field: string;
  /** Absent when there was no value, or when it is not known. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** It is a secret: neither value is shown. */
  readonly secret: boolean;
}

type Values = Readonly<Record<string, unknown>>;
type Earlier = Pick<LogSearch, 'earlier'>;
/** The values that an event set; null for an event that sets none of them. */
type ValuesOf = (event: RecordedEvent) => Values | null;

/** Values of an event that gives all fields of something new, or the fields that it changes. */
const HISTORIES: readonly { readonly types: readonly RecordedEvent['type'][]; readonly valuesOf: ValuesOf }[] = [
  {
    types: ['ClientAdded', 'ClientUpdated', 'ClientExpiryStarted', 'ClientRenewed'],
    valuesOf(event) {
      if (event.type === 'ClientAdded') return event.data.spec;
      if (event.type === 'ClientUpdated') return event.data.changes;
      const isExpiry = event.type === 'ClientExpiryStarted' || event.type === 'ClientRenewed';
      return isExpiry ? { expiresAt: event.data.expiresAt } : null;
    },
  },
  {
    types: ['InboundAdded', 'InboundUpdated'],
    valuesOf(event) {
      if (event.type === 'InboundAdded') return event.data.spec;
      return event.type === 'InboundUpdated' ? event.data.changes : null;
    },
  },
  {
    types: ['NodeAdded', 'NodeUpdated'],
    valuesOf(event) {
      if (event.type === 'NodeAdded') return event.data.spec;
      return event.type === 'NodeUpdated' ? event.data.changes : null;
    },
  },
  {
    types: ['GeoSourceAdded', 'GeoSourceUpdated'],
    valuesOf(event) {
      if (event.type !== 'GeoSourceAdded' && event.type !== 'GeoSourceUpdated') return null;
      const { type, alias, url } = event.data;
      return { type, alias, url };
    },
  },
  {
    types: ['RoleDefined'],
    valuesOf: (event) =>
      event.type === 'RoleDefined'
        ? Object.fromEntries(event.data.grants.map(({ permission, scope }) => [permission, scope]))
        : null,
  },
  {
    types: ['AdminAccessChanged'],
    valuesOf(event) {
      if (event.type !== 'AdminAccessChanged') return null;
      const { role, inbounds, quotas } = event.data;
      return { role, inbounds, quotas };
    },
  },
  {
    types: ['TokenCreated', 'TokenChanged'],
    valuesOf(event) {
      if (event.type !== 'TokenCreated' && event.type !== 'TokenChanged') return null;
      const { role, inbounds, admin, expiresAt, addresses } = event.data;
      return { role, inbounds, admin, expiresAt, addresses };
    },
  },
  {
    types: ['WebhookAdded', 'WebhookUpdated'],
    valuesOf(event) {
      if (event.type !== 'WebhookAdded' && event.type !== 'WebhookUpdated') return null;
      const { name, types } = event.data;
      return { name, types };
    },
  },
  { types: ['SettingsChanged'], valuesOf: (event) => (event.type === 'SettingsChanged' ? event.data.changes : null) },
];

/** What an event changed, with the values before it where they are in the log. Values of secrets are left out. */
export const changesOf = (log: Earlier, event: RecordedEvent): readonly Change[] => atOnce(changeSteps(log, event));

/** The same in steps, because the earlier values may be far back. */
export function* changeSteps(log: Earlier, event: RecordedEvent): Steps<readonly Change[]> {
  const history = HISTORIES.find(({ types }) => types.includes(event.type));
  const values = history?.valuesOf(event);
  const shown =
    history && values ? compared(values, yield* earlierValues(log, event, history, Object.keys(values))) : [];
  return [...shown, ...ownChanges(event), ...identityChanges(log, event), ...secretChanges(log, event)];
}

/** The latest earlier value of each field. */
function* earlierValues(
  log: Earlier,
  { stream, position }: RecordedEvent,
  { types, valuesOf }: (typeof HISTORIES)[number],
  fields: readonly string[],
): Steps<Values> {
  const before = new Map<string, unknown>();
  const missing = new Set(fields);
  for (const earlier of log.earlier(stream, position, types)) {
    const values = valuesOf(earlier) ?? {};
    for (const field of missing) {
      if (!Object.hasOwn(values, field)) continue;
      before.set(field, values[field]);
      missing.delete(field);
    }
    if (missing.size === 0) break;
    yield;
  }
  if (stream === 'settings')
    for (const field of missing) before.set(field, defaultSettings[field as SettingKey] ?? undefined);
  return Object.fromEntries(before);
}

function compared(after: Values, before: Values): readonly Change[] {
  return Object.keys(after)
    .filter((field) => JSON.stringify(after[field]) !== JSON.stringify(before[field]))
    .map((field) => change(field, before[field], after[field]));
}

function change(field: string, before: unknown, after: unknown): Change {
  return {
    field,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    secret: false,
  };
}

const secret = (field: string): Change => ({ field, secret: true });
const enabled = (after: boolean): readonly Change[] => [change('enabled', !after, after)];
const reset = ({ up, down }: { readonly up: number; readonly down: number }): readonly Change[] => [
  change('up', up, 0),
  change('down', down, 0),
];

/** Changes whose previous value is in the event, or follows from its type. */
function ownChanges({ type, data }: RecordedEvent): readonly Change[] {
  switch (type) {
    case 'InboundEnabled':
    case 'NodeEnabled':
      return enabled(true);
    case 'InboundDisabled':
    case 'NodeDisabled':
      return enabled(false);
    case 'InboundTrafficReset':
    case 'ClientTrafficReset':
    case 'OutboundTrafficReset':
      return reset(data);
    case 'ClientTrafficAdjusted':
      return [change('up', data.before.up, data.up), change('down', data.before.down, data.down)];
    case 'CoreVersionInstalled':
    case 'PanelUpdateInstalled':
      return [change('version', data.previousVersion ?? undefined, data.version)];
    case 'CoreVersionRolledBack':
    case 'PanelUpdateRolledBack':
      return [change('version', data.version, data.restoredVersion ?? undefined)];
    case 'CoreTemplateChanged':
      return [change('outboundTestUrl', undefined, data.outboundTestUrl)];
    default:
      return [];
  }
}

/** The fields of the personal data of a client that an admin may see. Its subscription id is a secret. */
function identityChanges(log: Earlier, event: RecordedEvent): readonly Change[] {
  const after = identityOf(event);
  if (!after) return [];
  const [earlier] = log.earlier(event.stream, event.position, [
    'ClientAdded',
    'ClientIdentityChanged',
    'ClientCredentialRotated',
  ]);
  const before = earlier && identityOf(earlier);
  const fields = ['email', 'comment', 'tgId'] as const;
  const shown = fields
    .filter((field) => before?.[field] !== after[field])
    .map((field) => change(field, before?.[field], after[field]));
  return [...shown, ...(before?.subId === after.subId ? [] : [secret('subId')])];
}

function identityOf(event: RecordedEvent) {
  const hasIdentity =
    event.type === 'ClientAdded' || event.type === 'ClientIdentityChanged' || event.type === 'ClientCredentialRotated';
  return hasIdentity ? event.data.identity : null;
}

/** Secrets that an event set. Of configurations with secrets in them, the paths that changed. */
function secretChanges(log: Earlier, event: RecordedEvent): readonly Change[] {
  switch (event.type) {
    case 'ClientAdded':
    case 'ClientCredentialRotated':
      return [secret('credential')];
    case 'NodeAdded':
    case 'NodeTokenReplaced':
    case 'ApiTokenIssued':
      return [secret('token')];
    case 'SecretSettingChanged':
      return [secret(event.data.key)];
    case 'UserCredentialsChanged':
    case 'PasswordHashUpgraded':
      return [secret('credentials')];
    case 'InboundReconfigured': {
      const [earlier] = log.earlier(event.stream, event.position, ['InboundAdded', 'InboundReconfigured']);
      const hasConfig = earlier?.type === 'InboundAdded' || earlier?.type === 'InboundReconfigured';
      return changedPaths(hasConfig ? earlier.data.config : undefined, event.data.config).map(secret);
    }
    case 'CoreTemplateChanged': {
      const [earlier] = log.earlier(event.stream, event.position, ['CoreTemplateChanged']);
      const before = earlier?.type === 'CoreTemplateChanged' ? earlier.data.template : undefined;
      return changedPaths(before, event.data.template).map(secret);
    }
    default:
      return [];
  }
}

/** Limit of paths, and how deep they go. */
const MAX_PATHS = 30;
const MAX_DEPTH = 4;

/** The paths at which two JSON values differ, at most 30. `depth`: the longest path, in keys. */
export function changedPaths(before: unknown, after: unknown, depth = MAX_DEPTH): readonly string[] {
  const paths: string[] = [];
  const compare = (one: unknown, other: unknown, path: readonly string[]): void => {
    if (JSON.stringify(one) === JSON.stringify(other) || paths.length >= MAX_PATHS) return;
    if (!isRecord(one) || !isRecord(other) || path.length >= depth) return void paths.push(path.join('.'));
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
      compare(one[key], other[key], [...path, key]);
  };
  compare(before ?? {}, after, []);
  return paths;
}

const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
