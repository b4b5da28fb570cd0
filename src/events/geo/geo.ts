import { z } from 'zod';
import { GeoSourceId } from '../ids.js';
import { defineEvent } from '../log/event.js';

/** What a list holds: addresses or domains. */
export const GeoKind = z.enum(['geoip', 'geosite']);
export type GeoKind = z.infer<typeof GeoKind>;

const Place = {
  type: GeoKind,
  /** Lower case; with the type it makes the name of the file, see `geoFileOf`. */
  alias: z.string(),
  url: z.string(),
};

export const GeoSourceAdded = defineEvent('GeoSourceAdded', {
  summary: 'An admin added a geo source, whose lists routing rules can name.',
  data: z.strictObject({ source: GeoSourceId, ...Place }),
  stream: ({ source }) => `geo-source-${source}`,
});

export const GeoSourceUpdated = defineEvent('GeoSourceUpdated', {
  summary: 'The type, alias or address of a geo source changed.',
  data: z.strictObject({ source: GeoSourceId, ...Place }),
  stream: ({ source }) => `geo-source-${source}`,
});

export const GeoSourceDeleted = defineEvent('GeoSourceDeleted', {
  summary: 'A geo source and its file were deleted.',
  data: z.strictObject({ source: GeoSourceId }),
  stream: ({ source }) => `geo-source-${source}`,
});

export const GeoSourceDownloaded = defineEvent('GeoSourceDownloaded', {
  summary: 'A new file of a geo source was downloaded, verified and installed.',
  data: z.strictObject({
    source: GeoSourceId,
    /** Of the file that the core reads, hex. */
    sha256: z.string(),
    bytes: z.int().nonnegative(),
    /** `Last-Modified`, as the server wrote it; empty = it said nothing. */
    lastModified: z.string(),
    /** Names of the lists in it, in their order: the first hundred. */
    tags: z.array(z.string()),
  }),
  stream: ({ source }) => `geo-source-${source}`,
});

export const GeoSourceChecked = defineEvent('GeoSourceChecked', {
  summary: 'A geo source was checked. There is no newer file.',
  data: z.strictObject({ source: GeoSourceId }),
  stream: ({ source }) => `geo-source-${source}`,
});

export const GeoSourceFailed = defineEvent('GeoSourceFailed', {
  summary: 'The file of a geo source could not be downloaded or used. The former file stays.',
  data: z.strictObject({ source: GeoSourceId, reason: z.string() }),
  stream: ({ source }) => `geo-source-${source}`,
});

export const GeoSourceRejected = defineEvent('GeoSourceRejected', {
  summary: 'A geo source was not added or changed, because its file could not be downloaded or used.',
  data: z.strictObject({
    /** The one that was to be changed; null = it was to be added. */
    source: GeoSourceId.nullable(),
    ...Place,
    reason: z.string(),
  }),
  stream: () => 'geo',
});

/** The plain name of a source's file in the folder of the geo files, as rules name it: `ext:geosite_my-list.dat:tag`. */
export function geoFileOf({ type, alias }: { readonly type: GeoKind; readonly alias: string }): string {
  return `${type}_${alias}.dat`;
}

export const geoEvents = [
  GeoSourceAdded,
  GeoSourceUpdated,
  GeoSourceDeleted,
  GeoSourceDownloaded,
  GeoSourceChecked,
  GeoSourceFailed,
  GeoSourceRejected,
] as const;
