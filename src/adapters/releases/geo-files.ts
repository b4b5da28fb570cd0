import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, rmSync, type Stats } from 'node:fs';
import { readFile, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type GeoFileName, type GeoFiles, type GeoResult, ReleaseError } from '../../commands/ports/releases.js';
import { type Web, WebError } from '../../commands/ports/web.js';
import { diskFault } from '../../lib/errors/disk-fault.js';
import { message, type Text } from '../../messages/message.js';
import { flushAsync } from '../data-directory/files.js';
import { geoFileProblem } from './geo-format.js';

interface GeoOptions {
  readonly web: Web;
  /** GitHub or a mirror of it. */
  readonly url: string;
  /** The folder from which the core reads them. */
  readonly folder: string;
}

const SOURCES: Readonly<Record<GeoFileName, string>> = {
  'geoip.dat': 'Loyalsoldier/v2ray-rules-dat/releases/latest/download/geoip.dat',
  'geosite.dat': 'Loyalsoldier/v2ray-rules-dat/releases/latest/download/geosite.dat',
  'geoip_IR.dat': 'chocolate4u/Iran-v2ray-rules/releases/latest/download/geoip.dat',
  'geosite_IR.dat': 'chocolate4u/Iran-v2ray-rules/releases/latest/download/geosite.dat',
  'geoip_RU.dat': 'runetfreedom/russia-v2ray-rules-dat/releases/latest/download/geoip.dat',
  'geosite_RU.dat': 'runetfreedom/russia-v2ray-rules-dat/releases/latest/download/geosite.dat',
};
const MAX_BYTES = 128 * 1024 * 1024;
const TIMEOUT_MS = 10 * 60_000;
const IDLE_MS = 20_000;
const TEMPORARY = '.new-';

/** `GeoFiles` over a folder and a release server. */
export function createGeoFiles({ web, url, folder }: GeoOptions): GeoFiles {
  /** Null when there is nothing newer. */
  const fetched = async (file: GeoFileName, present: Stats | undefined): Promise<string | null> => {
    const headers = present === undefined ? {} : { 'if-modified-since': present.mtime.toUTCString() };
    const temporary = join(folder, `${TEMPORARY}${randomUUID()}`);
    try {
      const options = { headers, limit: MAX_BYTES, timeoutMs: TIMEOUT_MS, idleMs: IDLE_MS };
      const { sha256, lastModified } = await web.download(`${url}/${SOURCES[file]}`, temporary, options);
      const problem = await geoFileProblem(await readFile(temporary));
      if (problem !== null) throw new ReleaseError(problem);
      const modified = lastModified === null ? Number.NaN : Date.parse(lastModified);
      if (!Number.isNaN(modified)) await utimes(temporary, modified / 1000, modified / 1000);
      await rename(temporary, join(folder, file));
      await flushAsync(folder);
      return sha256;
    } catch (error) {
      if (present !== undefined && error instanceof WebError && error.status === 304) return null;
      throw error;
    } finally {
      await rm(temporary, { force: true });
    }
  };

  const update = async (file: GeoFileName): Promise<GeoResult> => {
    try {
      const present = lstatSync(join(folder, file), { throwIfNoEntry: false });
      if (present !== undefined && !present.isFile()) throw new ReleaseError(message('geo.notPlainFile'));
      const sha256 = await fetched(file, present);
      return { file, outcome: sha256 === null ? 'unchanged' : 'updated', sha256, reason: null };
    } catch (error) {
      return { file, outcome: 'failed', sha256: null, reason: reasonOf(error) };
    }
  };

  return {
    update: async (files) => {
      const unfinished = readdirSync(folder).filter((name) => name.startsWith(TEMPORARY));
      for (const name of unfinished) rmSync(join(folder, name), { force: true });
      const results: GeoResult[] = [];
      for (const file of files) results.push(await update(file));
      return results;
    },
  };
}

/** Why a file could not be downloaded. */
export function reasonOf(error: unknown): Text {
  if (error instanceof ReleaseError || error instanceof WebError) return error.text;
  const { code } = error as NodeJS.ErrnoException;
  const fault = diskFault(error);
  return fault === null ? message('releases.fileNotWritable', { code: code ?? 'unknown' }) : fault.why;
}
