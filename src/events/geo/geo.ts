import { z } from 'zod';
import { Bytes, Hash, oneOf } from '../fields.js';
import { GeoSourceId } from '../ids.js';
import { defineEvent } from '../log/event.js';
import { textSchema } from '../text.js';

/** What the lists of a geo source contain. */
export const GeoKind = oneOf({ geoip: 'lists of IP networks', geosite: 'lists of domains' }).describe(
  'What its lists contain.',
);
export type GeoKind = z.infer<typeof GeoKind>;

const Place = {
  type: GeoKind,
  alias: z.string().describe('Name in lower case. The file of the source is `TYPE_ALIAS.dat`.'),
  url: z.string().describe('URL that the file is downloaded from.'),
};

export const GeoSourceAdded = defineEvent('GeoSourceAdded', {
  summary: 'An admin added a geo source. Routing rules can name its lists.',
  recordedBy: {
    AddGeoSource: 'an admin adds a source and its file was downloaded',
    ImportPanel: 'the imported database has the source',
  },
  data: z.strictObject({ source: GeoSourceId, ...Place }),
  stream: ({ source }) => `geo-source-${source}`,
});

export const GeoSourceUpdated = defineEvent('GeoSourceUpdated', {
  summary: 'The type, alias or URL of a geo source changed.',
  recordedBy: { UpdateGeoSource: 'an admin changes the source and the file was downloaded from there' },
  data: z.strictObject({ source: GeoSourceId, ...Place }),
  stream: ({ source }) => `geo-source-${source}`,
});

export const GeoSourceDeleted = defineEvent('GeoSourceDeleted', {
  summary: 'A geo source and its file were deleted.',
  recordedBy: { DeleteGeoSource: 'an admin deletes the source' },
  data: z.strictObject({ source: GeoSourceId }),
  stream: ({ source }) => `geo-source-${source}`,
});

export const GeoSourceDownloaded = defineEvent('GeoSourceDownloaded', {
  summary: 'A new file of a geo source was downloaded, verified and installed.',
  recordedBy: {
    AddGeoSource: 'a source was added',
    UpdateGeoSource: 'a source was changed',
    RecordGeoOutcomes: 'an update by an admin or by the schedule `geoUpdateSchedule` found a newer file',
  },
  data: z.strictObject({
    source: GeoSourceId,
    sha256: Hash.describe('SHA-256 of the installed file.'),
    bytes: Bytes.describe('Size of the installed file.'),
    lastModified: z.string().describe('`Last-Modified` of the response, unchanged; empty = it had none.'),
    tags: z.array(z.string()).describe('Names of the first hundred lists in the file.'),
  }),
  stream: ({ source }) => `geo-source-${source}`,
});

export const GeoSourceChecked = defineEvent('GeoSourceChecked', {
  summary: 'A geo source was checked. Its server has no newer file.',
  recordedBy: { RecordGeoOutcomes: 'an update by an admin or by the schedule `geoUpdateSchedule` found no newer file' },
  data: z.strictObject({ source: GeoSourceId }),
  stream: ({ source }) => `geo-source-${source}`,
});

export const GeoSourceFailed = defineEvent('GeoSourceFailed', {
  summary: 'The file of a geo source could not be downloaded or used. The previous file stays.',
  recordedBy: { RecordGeoOutcomes: 'an update by an admin or by the schedule `geoUpdateSchedule` fails' },
  data: z.strictObject({ source: GeoSourceId, reason: textSchema }),
  stream: ({ source }) => `geo-source-${source}`,
});

export const GeoSourceRejected = defineEvent('GeoSourceRejected', {
  summary: 'A geo source was not added or changed, because its file could not be downloaded or used.',
  recordedBy: { RecordGeoRejection: 'an admin adds or changes a source whose file cannot be downloaded or used' },
  data: z.strictObject({
    source: GeoSourceId.nullable().describe('Number of the source to change; null = it was to be added.'),
    ...Place,
    reason: textSchema,
  }),
  stream: () => 'geo',
});

/** File name of a source in the folder of geo files. Rules refer to it as `ext:geosite_my-list.dat:tag`. */
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
