import { randomUUID } from 'node:crypto';
import { AndFilter, type Client, type Entry, EqualityFilter, type Filter, FilterParser, ResultCodeError } from 'ldapts';
import {
  type Directory,
  type DirectoryEntry,
  DirectoryError,
  type DirectoryPlace,
} from '../../commands/ports/directory.js';
import { message } from '../../messages/message.js';
import { enter, isBlank, talk } from './talk.js';

/** For one login, in ms and bytes. */
const LOGIN = { ms: 5_000, bytes: 1024 * 1024 };
/** Concurrent logins; the others are refused, so that a hanging directory does not block them. */
const MAX_PARALLEL_LOGINS = 8;
/** How long a failed directory is not used for logins, in ms. */
const REST_MS = 5_000;
/** Longest user name: a directory closes the connection on longer ones. */
const MAX_NAME_CHARS = 256;
/** For a search of all people. */
const SEARCH = { ms: 60_000, bytes: 32 * 1024 * 1024 };
const MAX_ENTRIES = 50_000;
const PAGE_ENTRIES = 500;

/** A name of an attribute, with its options, or a number of one (RFC 4512). */
const ATTRIBUTE = /^([A-Za-z][\w-]*(;[\w-]+)*|\d+(\.\d+)*)$/;

/** The name of an entry that no directory has. */
const NO_DN = `cn=${randomUUID()}`;
interface Parts {
  readonly warn: (message: string, fields: object) => void;
  readonly now?: () => number;
}

/** The `Directory` port over LDAP. */
export function createDirectory({ warn, now = Date.now }: Parts): Directory {
  let asking = 0;
  let restUntil = 0;

  return {
    async proves(place, name, password) {
      if (name === '' || isBlank(password) || name.length > MAX_NAME_CHARS) return false;
      if (asking >= MAX_PARALLEL_LOGINS || now() < restUntil) return false;
      asking += 1;
      try {
        return await talk(place, LOGIN, (open) => isOwn(open, place, name, password));
      } catch (error) {
        // The failure may be caused by the name that was tried, so a guessed name must not suspend a working directory.
        if (!((error as DirectoryError).cause instanceof ResultCodeError)) restUntil = now() + REST_MS;
        warn('the directory could not be asked for a login', { reason: (error as DirectoryError).message });
        return false;
      } finally {
        asking -= 1;
      }
    },

    entries: (place, flag) => talk(place, SEARCH, (open) => everybody(open(), place, flag)),
  };
}

async function isOwn(open: () => Client, place: DirectoryPlace, name: string, password: string): Promise<boolean> {
  const own = new EqualityFilter({ attribute: attributeOf(place.attribute, 'ldapUserAttr'), value: name });
  const filter = new AndFilter({ filters: [filterOf(place), own] });
  const searcher = open();
  await enter(searcher, place);
  const { searchEntries: found } = await searcher.search(place.baseDn, {
    scope: 'sub',
    filter,
    attributes: ['1.1'],
    sizeLimit: 2,
  });
  // Two entries with the same name: the login is ambiguous.
  const dn = found.length === 1 ? (found[0]?.dn ?? '') : '';
  try {
    // A name that is not there costs the same connection and question, so the time does not tell that it is not.
    await open().bind(dn === '' ? NO_DN : dn, dn === '' ? randomUUID() : password);
    return dn !== '';
  } catch (error) {
    // A wrong password and a locked account have different codes, but all of them mean that the login fails.
    if (error instanceof ResultCodeError) return false;
    throw error;
  }
}

async function everybody(client: Client, place: DirectoryPlace, flag: string): Promise<readonly DirectoryEntry[]> {
  const named = attributeOf(place.attribute, 'ldapUserAttr');
  const flagged = attributeOf(flag, 'ldapFlagField');
  const filter = filterOf(place);
  await enter(client, place);
  const entries: DirectoryEntry[] = [];
  // Without a size limit of ours: the client would take a list that was cut off for the whole.
  const pages = client.searchPaginated(place.baseDn, {
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

function filterOf({ filter }: DirectoryPlace): Filter {
  try {
    return FilterParser.parseString(filter.trim() === '' ? '(objectClass=*)' : filter);
  } catch (error) {
    throw new DirectoryError(message('directory.filterInvalid'), { cause: error });
  }
}

function attributeOf(name: string, setting: string): string {
  if (!ATTRIBUTE.test(name)) throw new DirectoryError(message('directory.attributeInvalid', { setting }));
  return name;
}

/** A directory answers in its own case. */
function valuesOf(entry: Entry, attribute: string): readonly string[] {
  const wanted = attribute.toLowerCase();
  const [, value] = Object.entries(entry).find(([name]) => name.toLowerCase() === wanted) ?? [];
  const values: readonly (string | Buffer)[] = value === undefined ? [] : Array.isArray(value) ? value : [value];
  return values.map((one) => one.toString('utf8').trim()).filter((text) => text !== '');
}
