import { randomUUID } from 'node:crypto';
import { AndFilter, type Client, type Entry, EqualityFilter, type Filter, FilterParser, ResultCodeError } from 'ldapts';
import {
  type Directory,
  type DirectoryConfig,
  type DirectoryEntry,
  DirectoryError,
} from '../../commands/ports/directory.js';
import { message } from '../../messages/message.js';
import { bindSearcher, isBlank, withConnections } from './connections.js';

/** Limits for one login. */
const LOGIN_LIMITS = { ms: 5_000, bytes: 1024 * 1024 };
/** Concurrent logins; the others are refused, so that a hanging directory does not block them. */
const MAX_PARALLEL_LOGINS = 8;
/** After a failure, the directory is not used for logins during this time. */
const SUSPEND_MS = 5_000;
/** A directory closes the connection when a user name is longer. */
const MAX_NAME_CHARS = 256;
/** Limits for a search of all entries. */
const SEARCH_LIMITS = { ms: 60_000, bytes: 32 * 1024 * 1024 };
const MAX_ENTRIES = 50_000;
const PAGE_ENTRIES = 500;

/** An attribute by its name, with options, or by its OID (RFC 4512). */
const ATTRIBUTE_NAME = /^([A-Za-z][\w-]*(;[\w-]+)*|\d+(\.\d+)*)$/;

/** A DN that exists in no directory. */
const UNKNOWN_DN = `cn=${randomUUID()}`;

interface Parts {
  readonly warn: (message: string, fields: object) => void;
  readonly now?: () => number;
}

/** The `Directory` port over LDAP. */
export function createDirectory({ warn, now = Date.now }: Parts): Directory {
  let running = 0;
  let unusedUntil = 0;

  return {
    async verifyPassword(config, name, password) {
      if (name === '' || isBlank(password) || name.length > MAX_NAME_CHARS) return false;
      if (running >= MAX_PARALLEL_LOGINS || now() < unusedUntil) return false;
      running += 1;
      try {
        return await withConnections(config, LOGIN_LIMITS, (open) => isPasswordOf(open, config, name, password));
      } catch (error) {
        // The failure may be caused by the name that was tried, so a guessed name must not suspend a working directory.
        if (!((error as DirectoryError).cause instanceof ResultCodeError)) unusedUntil = now() + SUSPEND_MS;
        warn('the directory could not verify a login', { reason: (error as DirectoryError).message });
        return false;
      } finally {
        running -= 1;
      }
    },

    entries: (config, flag) => withConnections(config, SEARCH_LIMITS, (open) => searchEntries(open(), config, flag)),
  };
}

async function isPasswordOf(
  open: () => Client,
  config: DirectoryConfig,
  name: string,
  password: string,
): Promise<boolean> {
  const own = new EqualityFilter({ attribute: attributeOf(config.attribute, 'ldapUserAttr'), value: name });
  const filter = new AndFilter({ filters: [filterOf(config), own] });
  const searcher = open();
  await bindSearcher(searcher, config);
  const { searchEntries: found } = await searcher.search(config.baseDn, {
    scope: 'sub',
    filter,
    attributes: ['1.1'],
    sizeLimit: 2,
  });
  // Two entries with the same name: the login is ambiguous.
  const dn = found.length === 1 ? (found[0]?.dn ?? '') : '';
  try {
    // An unknown name costs the same connection and request, so that the response time does not reveal it.
    await open().bind(dn === '' ? UNKNOWN_DN : dn, dn === '' ? randomUUID() : password);
    return dn !== '';
  } catch (error) {
    // Wrong passwords and locked accounts have different codes; all of them mean that the login failed.
    if (error instanceof ResultCodeError) return false;
    throw error;
  }
}

async function searchEntries(
  client: Client,
  config: DirectoryConfig,
  flag: string,
): Promise<readonly DirectoryEntry[]> {
  const named = attributeOf(config.attribute, 'ldapUserAttr');
  const flagged = attributeOf(flag, 'ldapFlagField');
  const filter = filterOf(config);
  await bindSearcher(client, config);
  const entries: DirectoryEntry[] = [];
  // No `sizeLimit`: with one, the client would treat a truncated list as complete.
  const pages = client.searchPaginated(config.baseDn, {
    scope: 'sub',
    filter,
    attributes: [named, flagged],
    paged: { pageSize: PAGE_ENTRIES },
  });
  for await (const { searchEntries } of pages) {
    for (const entry of searchEntries) {
      const names = valuesOf(entry, named);
      if (names.length > 0) entries.push({ names, flag: valuesOf(entry, flagged)[0] ?? null });
    }
    if (entries.length > MAX_ENTRIES)
      throw new DirectoryError(message('directory.tooManyEntries', { limit: MAX_ENTRIES }));
  }
  return entries;
}

function filterOf({ filter }: DirectoryConfig): Filter {
  try {
    return FilterParser.parseString(filter.trim() === '' ? '(objectClass=*)' : filter);
  } catch (error) {
    throw new DirectoryError(message('directory.filterInvalid'), { cause: error });
  }
}

function attributeOf(name: string, setting: string): string {
  if (!ATTRIBUTE_NAME.test(name)) throw new DirectoryError(message('directory.attributeInvalid', { setting }));
  return name;
}

/** Attribute names are case-insensitive, and a directory answers with its own spelling. */
function valuesOf(entry: Entry, attribute: string): readonly string[] {
  const wanted = attribute.toLowerCase();
  const [, value] = Object.entries(entry).find(([name]) => name.toLowerCase() === wanted) ?? [];
  const values: readonly (string | Buffer)[] = value === undefined ? [] : Array.isArray(value) ? value : [value];
  return values.map((one) => one.toString('utf8').trim()).filter((text) => text !== '');
}
