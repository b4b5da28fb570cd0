import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type GeoPlace,
  type GeoSourceFiles,
  MAX_TAGS,
  type Placed,
  type StagedGeo,
} from '../../commands/ports/geo-sources.js';
import { ReleaseError } from '../../commands/ports/releases.js';
import { type Web, WebError } from '../../commands/ports/web.js';
import type { GeoKind } from '../../events/geo/geo.js';
import { isText, message } from '../../messages/message.js';
import { flushAsync, sha256Of } from '../data-directory/files.js';
import { reasonOf } from '../releases/geo-files.js';
import { type GeoLists, geoLists } from '../releases/geo-format.js';
import { ruleSetFile } from './rule-set.js';

interface GeoSourceOptions {
  readonly web: Web;
  /** The folder from which the core reads them. */
  readonly folder: string;
  /** A download must receive `MIN_BYTES` in each period of this length, in ms; default 20 s. */
  readonly idleMs?: number;
}

const MAX_BYTES = 128 * 1024 * 1024;
/** A rule set is parsed in one turn of the event loop, which blocks everything else. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;
const TIMEOUT_MS = 10 * 60_000;
const IDLE_MS = 20_000;
const MIN_BYTES = 16 * 1024;
const MAX_TAG_CHARS = 100;
/** Downloaded files that are not in place yet, and replaced files. */
const TEMPORARY = /^(staged|previous)-[0-9a-f-]{36}\.dat$/;

/** `GeoSourceFiles` over a folder. */
export function createGeoSourceFiles({ web, folder, idleMs = IDLE_MS }: GeoSourceOptions): GeoSourceFiles {
  const pathOf = (file: string): string => resolve(folder, file);
  const exists = (file: string): boolean => lstatSync(pathOf(file), { throwIfNoEntry: false }) !== undefined;

  const has = async (file: string, sha256: string): Promise<boolean> => {
    if (lstatSync(pathOf(file), { throwIfNoEntry: false })?.isFile() !== true) return false;
    return (await sha256Of(pathOf(file))) === sha256;
  };

  return {
    problem: (url) => web.problem(url),
    reasonOf,
    has,
    exists,
    fileOf(file) {
      const found = lstatSync(pathOf(file), { throwIfNoEntry: false });
      return found ? { bytes: found.size, writtenAt: found.mtimeMs } : null;
    },
    receive: async (file, sha256, fetch) => {
      const name = `staged-${randomUUID()}.dat`;
      try {
        await fetch(pathOf(name));
        if ((await sha256Of(pathOf(name))) !== sha256) throw new ReleaseError(message('cluster.fileDiffers'));
        await rename(pathOf(name), pathOf(file));
        await flushAsync(folder);
      } finally {
        await rm(pathOf(name), { force: true });
      }
    },
    pathOf,
    remove: (file) => rmSync(pathOf(file), { force: true }),
    removeTemporaryFiles: () => {
      for (const name of readdirSync(folder)) if (TEMPORARY.test(name)) rmSync(pathOf(name), { force: true });
    },

    fetch: async (place, known, signal) => {
      const name = `staged-${randomUUID()}.dat`;
      const headers = known?.lastModified ? { 'if-modified-since': known.lastModified } : {};
      const options = { headers, limit: MAX_BYTES, timeoutMs: TIMEOUT_MS, idleMs, leastBytes: MIN_BYTES, signal };
      try {
        const download = await web.download(place.url, pathOf(name), options);
        const { bytes, tags } = await readable(await readFile(pathOf(name)), place);
        if (bytes !== null) await rewrite(pathOf(name), bytes);
        const sha256 = bytes === null ? download.sha256 : createHash('sha256').update(bytes).digest('hex');
        const lastModified = dateOf(download.lastModified);
        return staged(folder, name, { sha256, bytes: bytes?.length ?? download.bytes, lastModified, tags });
      } catch (error) {
        await rm(pathOf(name), { force: true });
        if (known?.lastModified && error instanceof WebError && error.status === 304) return null;
        throw error;
      }
    },
  };
}

/** The lists in a download; `bytes` when it was converted for the core. Rejects with `ReleaseError`. */
async function readable(
  downloaded: Buffer,
  { type, alias }: GeoPlace,
): Promise<{ readonly bytes: Buffer | null; readonly tags: readonly string[] }> {
  const lists = await geoLists(downloaded);
  if (!isText(lists)) return { bytes: null, tags: usable(lists, type) };
  const document = jsonIn(downloaded);
  if (document === undefined) throw new ReleaseError(lists);
  // The core looks for names in upper case, however a rule spells them.
  const tag = alias.toUpperCase();
  return { bytes: await ruleSetFile(document, type, tag), tags: [tag] };
}

function usable({ tags, hasAddresses, hasDomains }: GeoLists, type: GeoKind): readonly string[] {
  // The core would accept a file of the other type, and match nothing.
  if (type === 'geosite' ? hasAddresses : hasDomains) throw new ReleaseError(message('geo.typeMismatch', { type }));
  const found = tags.filter((tag) => tag === tag.toUpperCase());
  if (found.length === 0) throw new ReleaseError(message('geo.noUsableList'));
  return found.filter((tag) => tag.length <= MAX_TAG_CHARS).slice(0, MAX_TAGS);
}

/** `undefined` when the bytes are not a JSON object. */
function jsonIn(bytes: Buffer): unknown {
  if (!/^[\uFEFF\s]*\{/.test(bytes.toString('utf8', 0, 100))) return undefined;
  if (bytes.length > MAX_JSON_BYTES) throw new ReleaseError(message('geo.ruleSetTooLarge', { limit: MAX_JSON_BYTES }));
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

async function rewrite(path: string, content: Buffer): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.truncate();
    await handle.write(content, 0, content.length, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A date in the format of HTTP; empty when it is not a valid date. */
function dateOf(lastModified: string | null): string {
  const at = lastModified === null ? Number.NaN : Date.parse(lastModified);
  return Number.isNaN(at) ? '' : new Date(at).toUTCString();
}

function staged(folder: string, name: string, content: StagedGeo['content']): StagedGeo {
  return {
    name,
    content,
    discard: () => rm(join(folder, name), { force: true }),
    place: async (file): Promise<Placed> => {
      const target = join(folder, file);
      const present = lstatSync(target, { throwIfNoEntry: false });
      if (present !== undefined && !present.isFile()) throw new ReleaseError(message('geo.notPlainFile'));
      // A hard link to the old file, so that the file never disappears.
      const previous = present === undefined ? null : join(folder, `previous-${randomUUID()}.dat`);
      if (previous !== null) await link(target, previous);
      try {
        await rename(join(folder, name), target);
      } catch (error) {
        if (previous !== null) await rm(previous, { force: true });
        throw error;
      }
      await flushAsync(folder);
      return {
        commit: async () => {
          if (previous !== null) await rm(previous, { force: true });
        },
        undo: async () => {
          if (previous === null) await rm(target, { force: true });
          else await rename(previous, target);
          await flushAsync(folder);
        },
      };
    },
  };
}
