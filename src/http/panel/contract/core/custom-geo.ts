import { z } from 'zod';
import { get, post, routes } from '../route.js';
import { body, Id, text } from '../schemas/fields.js';
import { TextCode } from '../schemas/text-code.js';

const Kind = z.enum(['geoip', 'geosite']);
const Source = z.object({
  id: z.int(),
  type: Kind,
  alias: z.string(),
  url: z.string(),
  /** `never` = there was no download yet; `failed` = the last download failed, and the previous file stays. */
  status: z.enum(['ok', 'failed', 'never']),
  /** Why it failed; empty = it did not fail. */
  error: z.string(),
  errorCode: TextCode,
  /** When the file was last downloaded, or found to be current; ms, 0 = never. */
  lastDownload: z.int(),
  fileName: z.string(),
  /** The first lists in the file. */
  tags: z.array(z.string()),
  /** The file's hash. */
  size: z.int(),
  /** Where the file is on the machine of the panel. */
  localPath: z.string(),
  /** In seconds, as in 3x-ui. */
  lastUpdatedAt: z.int(),
  lastModified: z.string(),
  createdAt: z.int(),
  updatedAt: z.int(),
});
export type GeoSourceRow = z.input<typeof Source>;

const Alias = z.object({
  alias: z.string(),
  type: Kind,
  fileName: z.string(),
  /** How a routing rule names one of its lists. */
  extExample: z.string(),
  builtIn: z.boolean(),
  /** Whether the file exists. */
  present: z.boolean(),
  /** The size of the file; 0 if it does not exist. */
  bytes: z.int(),
  /** When the file was written, in ms; 0 if it does not exist. */
  writtenAt: z.int(),
  /** When the last update of a built-in file ended, in ms; 0 = never. `list` has the same for a source. */
  checkedAt: z.int(),
  /** Why that update failed; empty after a success. A failed update keeps the previous file. */
  error: z.string(),
  errorCode: TextCode,
});
export type GeoAliasRow = z.input<typeof Alias>;

const done = { id: z.int(), alias: z.string(), fileName: z.string() };
const source = body({ type: text, alias: text, url: text });
const id = z.object({ id: Id });

/** Custom geo sources. */
export const customGeoRoutes = routes('/panel/api/custom-geo', {
  list: get('/list', {
    leader: true,
    permission: { resource: 'geo', action: 'read' },
    summary: 'List the geo sources with the result of the last download of each',
    reply: z.array(Source),
  }),
  aliases: get('/aliases', {
    leader: true,
    permission: { resource: 'geo', action: 'read' },
    summary: 'Get the names for routing rules: built-in geo files and custom geo sources',
    reply: z.object({ geosite: z.array(Alias).nullable(), geoip: z.array(Alias).nullable() }),
  }),
  add: post('/add', {
    permission: { resource: 'geo', action: 'create' },
    summary: 'Add a geo source; its file is downloaded and checked first',
    body: source,
    reply: Source.nullable(),
  }),
  update: post('/update/:id', {
    permission: { resource: 'geo', action: 'update' },
    summary: 'Change a geo source; its file is downloaded and checked first',
    params: id,
    body: source,
    reply: Source.nullable(),
  }),
  delete: post('/delete/:id', {
    permission: { resource: 'geo', action: 'delete' },
    summary: 'Delete a geo source with its file; refused while the core uses it',
    params: id,
  }),
  download: post('/download/:id', {
    permission: { resource: 'geo', action: 'run' },
    summary: 'Update the file of a geo source; the core restarts if it uses it',
    params: id,
  }),
  updateAll: post('/update-all', {
    permission: { resource: 'geo', action: 'run' },
    summary: 'Update all geo sources, with one result for each; the core restarts at most once',
    reply: z.object({
      succeeded: z.array(z.object(done)).nullable(),
      failed: z.array(z.object({ ...done, error: z.string(), errorCode: TextCode })).nullable(),
    }),
  }),
});
