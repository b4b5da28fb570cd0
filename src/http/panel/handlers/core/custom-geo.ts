import type { GeoOutcome } from '../../../../commands/geo/geo.js';
import { geoFiles } from '../../../../commands/ports/releases.js';
import { Rejection, reject } from '../../../../commands/rejection.js';
import type { RecordedEvent } from '../../../../events/catalog.js';
import { type GeoKind, geoFileOf } from '../../../../events/geo/geo.js';
import type { GeoSource } from '../../../../events/geo/geo-document.js';
import { codeOf, message } from '../../../../messages/message.js';
import { withinTimeout } from '../../answers.js';
import type { HttpRequest, Needs } from '../../context.js';
import type { customGeoRoutes, GeoAliasRow, GeoSourceRow } from '../../contract/core/custom-geo.js';
import type { Handlers } from '../../mount.js';
import { Message } from '../../outcomes.js';

type Services = Needs<'geoSources' | 'read' | 'past'>;

export const customGeoHandlers: Handlers<typeof customGeoRoutes, Services> = {
  list: (_, services, { say }) =>
    [...services.read.records.geoSources().values()].map((source) => rowOf(source, services, say)),

  /** 3x-ui lists only the custom sources, and null instead of an empty list. */
  aliases(_, services, { say }) {
    const { apiDialect } = services.read.settings.current();
    const rows = [...(apiDialect === '3x-ui' ? [] : builtIn(services, say)), ...ownAliases(services)];
    const ofType = (type: GeoKind): GeoAliasRow[] | null =>
      orNull(
        services,
        rows.filter((row) => row.type === type),
      );
    return { geosite: ofType('geosite'), geoip: ofType('geoip') };
  },

  // The messages of add and update are those of 3x-ui, whose clients may show or compare them.
  add: ({ body }, services, request) =>
    withinTimeout(
      services.geoSources.add(body, request),
      (file) => new Message(message('geo.added'), rowByFile(file, services, request.say)),
      null,
    ),

  update: ({ params: { id }, body }, services, request) =>
    withinTimeout(
      services.geoSources.change(id, body, request),
      (file) => new Message(message('geo.changed'), rowByFile(file, services, request.say)),
      null,
    ),

  async delete({ params: { id } }, services, request) {
    const file = await services.geoSources.remove(id, request);
    return file instanceof Rejection ? file : new Message(message('geo.deleted', { file }));
  },

  download: ({ params: { id } }, services, request) =>
    withinTimeout(
      services.geoSources.download(id, request),
      (file) => new Message(message('geo.updated', { file })),
      null,
    ),

  updateAll(_, services, request) {
    const sources = [...services.read.records.geoSources().values()];
    return withinTimeout(
      services.geoSources.update(sources, request).then((outcomes) => {
        if (outcomes instanceof Rejection) return outcomes;
        const results = resultsOf(sources, outcomes, services, request.say);
        const whole = outcomes.every(({ outcome }) => outcome !== 'failed');
        return whole ? results : reject('GEO_SOURCES_FAILED', { results });
      }),
      (results) => new Message(message('geo.allUpdated'), results),
      { succeeded: null, failed: null },
    );
  },
};

function rowOf(source: GeoSource, { geoSources }: Services, say: HttpRequest['say']): GeoSourceRow {
  const { id, type, alias, url, content, checkedAt, error, createdAt, updatedAt } = source;
  const fileName = geoFileOf(source);
  return {
    id,
    type,
    alias,
    url,
    status: error !== null ? 'failed' : content ? 'ok' : 'never',
    error: error === null ? '' : say(error),
    errorCode: codeOf(error),
    lastDownload: checkedAt,
    fileName,
    tags: [...(content?.tags ?? [])],
    size: content?.bytes ?? 0,
    localPath: geoSources.pathOf(fileName),
    lastUpdatedAt: seconds(checkedAt),
    lastModified: content?.lastModified ?? '',
    createdAt: seconds(createdAt),
    updatedAt: seconds(updatedAt),
  };
}

function rowByFile(file: string, services: Services, say: HttpRequest['say']): GeoSourceRow | null {
  const source = [...services.read.records.geoSources().values()].find((one) => geoFileOf(one) === file);
  return source ? rowOf(source, services, say) : null;
}

function builtIn({ geoSources, past }: Services, say: HttpRequest['say']): readonly GeoAliasRow[] {
  return geoFiles.map((fileName) => {
    const alias = fileName.replace(/\.dat$/, '');
    const type = alias.startsWith('geoip') ? 'geoip' : 'geosite';
    // The two default files of the core have short names.
    const extExample = alias === type ? `${type}:tag` : `ext:${fileName}:tag`;
    const last = past.lastOf('geo', ['GeoFilesUpdated'], (event) => resultIn(event, fileName) !== undefined);
    const reason = (last && resultIn(last, fileName)?.reason) ?? null;
    return {
      ...{ alias, type, fileName, extExample, builtIn: true, ...fileIn(geoSources, fileName) },
      ...{ checkedAt: last?.meta.at ?? 0, error: reason === null ? '' : say(reason), errorCode: codeOf(reason) },
    };
  });
}

const resultIn = (event: RecordedEvent, fileName: string) =>
  event.type === 'GeoFilesUpdated' ? event.data.files.find(({ file }) => file === fileName) : undefined;

function fileIn(geoSources: Services['geoSources'], fileName: string) {
  const file = geoSources.fileOf(fileName);
  return { present: file !== null, bytes: file?.bytes ?? 0, writtenAt: Math.floor(file?.writtenAt ?? 0) };
}

function ownAliases({ read, geoSources }: Services): readonly GeoAliasRow[] {
  return [...read.records.geoSources().values()].map((source) => {
    const { alias, type } = source;
    const fileName = geoFileOf(source);
    const extExample = `ext:${fileName}:tag`;
    const { checkedAt } = source;
    const told = { checkedAt, error: '', errorCode: null };
    return { alias, type, fileName, extExample, builtIn: false, ...fileIn(geoSources, fileName), ...told };
  });
}

function resultsOf(
  sources: readonly GeoSource[],
  outcomes: readonly GeoOutcome[],
  services: Services,
  say: HttpRequest['say'],
) {
  const rows = outcomes.flatMap((outcome) => {
    const source = sources.find(({ id }) => id === outcome.source);
    if (!source) return [];
    const done = { id: source.id, alias: source.alias, fileName: geoFileOf(source) };
    return [{ done, why: outcome.outcome === 'failed' ? outcome.reason : null }];
  });
  const succeeded = rows.flatMap(({ done, why }) => (why === null ? [done] : []));
  const failed = rows.flatMap(({ done, why }) =>
    why === null ? [] : [{ ...done, error: say(why), errorCode: codeOf(why) }],
  );
  return { succeeded: orNull(services, succeeded), failed: orNull(services, failed) };
}

/** 3x-ui sends null for an empty list. */
function orNull<T>({ read }: Services, list: T[]): T[] | null {
  return list.length === 0 && read.settings.current().apiDialect === '3x-ui' ? null : list;
}

const seconds = (ms: number): number => Math.floor(ms / 1000);
