import { setTimeout as wait } from 'node:timers/promises';
import { geoFileOf } from '../../../events/geo/geo.js';
import type { GeoContent, GeoSource } from '../../../events/geo/geo-document.js';
import { isText, message, type Text } from '../../../messages/message.js';
import { render } from '../../../messages/render.js';
import type { Done } from '../../bus.js';
import type { AnyCommand } from '../../catalog.js';
import type { PlainCommand } from '../../counter-commands.js';
import type { GeoOutcome } from '../../geo/geo.js';
import { type GeoRequest, geoPlaceOf } from '../../geo/geo-rules.js';
import type { GeoPlace, GeoSourceFiles, StagedGeo } from '../../ports/geo-sources.js';
import { Rejection, reject } from '../../rejection.js';
import { GeoSwitch, type GeoSwitchParts } from './geo-switch.js';

interface GeoSourcesParts extends GeoSwitchParts {
  readonly files: GeoSourceFiles;
  /** The current sources. */
  readonly sources: () => ReadonlyMap<number, GeoSource>;
  readonly warn: (message: string, fields?: object) => void;
}

/** The caller of a command. */
export interface GeoCaller {
  readonly dispatch: (command: PlainCommand) => Done | Rejection;
  /** What `dispatch` would refuse, without doing it. */
  readonly refusalOf: (command: AnyCommand) => Rejection | null;
}

/** The download for a source, with the source as it was then. */
interface Found {
  readonly source: GeoSource;
  readonly staged: StagedGeo | null;
  /** Why the download failed; null = see `staged`, or there is nothing newer. */
  readonly failure: Text | null;
}

/** Concurrent downloads; each takes space on the disk. */
const MAX_PARALLEL = 8;
/** Concurrent downloads of one update. */
const MAX_PARALLEL_UPDATES = 4;
/** How long finished downloads wait for slow ones, in ms. */
const BATCH_MS = 20_000;
const NO_CONTENT: GeoContent = { sha256: '', bytes: 0, lastModified: '', tags: [] };

/**
 * The custom geo sources. New files are downloaded next to the old ones, several at a time, and put in place one after
 * the other, together with the event that records it.
 */
export class GeoSources {
  readonly #parts: GeoSourcesParts;
  readonly #batchMs: number;
  readonly #ending = new AbortController();
  /** Updates in progress, by the ids of their sources. */
  readonly #updates = new Map<string, Promise<readonly GeoOutcome[] | Rejection>>();
  #downloads = 0;
  #line: Promise<unknown> = Promise.resolve();

  constructor(parts: GeoSourcesParts, { batchMs = BATCH_MS }: { readonly batchMs?: number } = {}) {
    this.#parts = parts;
    this.#batchMs = batchMs;
  }

  /** Resolves to the file of the new source. Adds nothing when the file cannot be downloaded. */
  add(request: GeoRequest, caller: GeoCaller): Promise<string | Rejection> {
    return this.#addOrChange(request, null, caller);
  }

  /** Downloads the file from the new URL before anything changes; without a change this is a `download`. */
  async change(id: number, request: GeoRequest, caller: GeoCaller): Promise<string | Rejection> {
    const own = this.#parts.sources().get(id);
    return own ? this.#addOrChange(request, own, caller) : reject('GEO_SOURCE_NOT_FOUND', { source: id });
  }

  /** Resolves to the name of the deleted file. */
  remove(id: number, { dispatch }: GeoCaller): Promise<string | Rejection> {
    return this.#inLine(async () => {
      const own = this.#parts.sources().get(id);
      if (!own) return reject('GEO_SOURCE_NOT_FOUND', { source: id });
      const done = dispatch({ type: 'DeleteGeoSource', data: { source: id } });
      if (done instanceof Rejection) return done;
      this.#forget(geoFileOf(own));
      return geoFileOf(own);
    });
  }

  /** Resolves to the name of the file, which is current then. */
  async download(id: number, caller: GeoCaller): Promise<string | Rejection> {
    const own = this.#parts.sources().get(id);
    if (!own) return reject('GEO_SOURCE_NOT_FOUND', { source: id });
    const outcomes = await this.update([own], caller);
    if (outcomes instanceof Rejection) return outcomes;
    const [outcome] = outcomes;
    return outcome?.outcome === 'failed' ? reject('GEO_DOWNLOAD_FAILED', { why: outcome.reason }) : geoFileOf(own);
  }

  /**
   * Downloads newer files of the sources, a few at a time, and records the results together, so that the core restarts at
   * most once; slow downloads are recorded later. A concurrent call for the same sources gets the same result.
   */
  update(
    sources: readonly GeoSource[],
    caller: Pick<GeoCaller, 'dispatch'>,
  ): Promise<readonly GeoOutcome[] | Rejection> {
    const key = sources.map(({ id }) => id).join();
    const running = this.#updates.get(key) ?? this.#update(sources, caller).finally(() => this.#updates.delete(key));
    this.#updates.set(key, running);
    return running;
  }

  pathOf(file: string): string {
    return this.#parts.files.pathOf(file);
  }

  /** The size of a file in bytes and when it was written, in ms since 1970; null when there is none. */
  fileOf(file: string): ReturnType<GeoSourceFiles['fileOf']> {
    return this.#parts.files.fileOf(file);
  }

  /** Aborts all downloads; resolves when the files are consistent. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#line.catch(() => undefined);
  }

  async #addOrChange(request: GeoRequest, own: GeoSource | null, caller: GeoCaller): Promise<string | Rejection> {
    const { files } = this.#parts;
    const place = geoPlaceOf(request);
    if (place instanceof Rejection) return place;
    if (own && samePlace(own, place)) return this.download(own.id, caller);
    const command = (content: GeoContent, used: boolean): PlainCommand => {
      const data = { ...place, content, used };
      return own === null
        ? { type: 'AddGeoSource', data }
        : { type: 'UpdateGeoSource', data: { ...data, source: own.id } };
    };
    const refusal = caller.refusalOf(command(NO_CONTENT, false));
    if (refusal) return refusal;
    if ((await files.problem(place.url)) !== null)
      return reject('GEO_SOURCE_INVALID', { why: message('geo.urlHostInvalid') });
    const staged = await this.#fetched(place, null);
    if (staged instanceof Rejection) return staged;
    const refused = (reason: Text): Rejection => {
      const data = { ...place, source: own?.id ?? null, reason };
      const done = caller.dispatch({ type: 'RecordGeoRejection', data });
      return done instanceof Rejection ? done : reject('GEO_DOWNLOAD_FAILED', { why: reason });
    };
    if (staged === null || isText(staged)) return refused(staged ?? message('geo.nothingReceived'));
    try {
      return await this.#inLine(async () => {
        const file = geoFileOf(place);
        const change = new GeoSwitch(this.#parts);
        const problem = await change.place(staged, file).catch((error: unknown) => files.reasonOf(error));
        if (problem !== null) return refused(problem);
        const done = await change.end((used) => caller.dispatch(command(staged.content, used)));
        if (done instanceof Rejection) return done;
        if (own && geoFileOf(own) !== file) this.#forget(geoFileOf(own));
        return file;
      });
    } finally {
      await staged.discard();
    }
  }

  async #update(
    sources: readonly GeoSource[],
    caller: Pick<GeoCaller, 'dispatch'>,
  ): Promise<readonly GeoOutcome[] | Rejection> {
    const waiting = [...sources];
    const found = new Map<number, Found>();
    const outcomes = new Map<number, GeoOutcome>();
    let refusal: Rejection | null = null;
    const refuse = (no: Rejection): void => {
      refusal ??= no;
      waiting.length = 0;
    };
    const work = async (): Promise<void> => {
      for (let source = waiting.shift(); source; source = waiting.shift()) {
        const one = await this.#find(source);
        if (one instanceof Rejection) refuse(one);
        else found.set(source.id, one);
      }
    };
    let over = false;
    const all = Promise.all(Array.from({ length: MAX_PARALLEL_UPDATES }, work)).then(() => void (over = true));
    try {
      // The last download may finish while the ones before it are recorded.
      while (!over || found.size > 0) {
        await Promise.race([all, wait(this.#batchMs, undefined, { ref: false })]);
        const ready = sources.flatMap(({ id }) => found.get(id) ?? []);
        found.clear();
        if (ready.length === 0) continue;
        const settled = await this.#inLine(async () => {
          try {
            return await this.#settle(ready, caller);
          } finally {
            await discard(ready);
          }
        });
        if (settled instanceof Rejection) refuse(settled);
        else for (const outcome of settled) outcomes.set(outcome.source, outcome);
      }
    } finally {
      waiting.length = 0;
      await all;
      await discard([...found.values()]);
    }
    return refusal ?? sources.flatMap(({ id }) => outcomes.get(id) ?? []);
  }

  async #find(source: GeoSource): Promise<Found | Rejection> {
    const { files } = this.#parts;
    const { content } = source;
    const isHere = content !== null && (await files.has(geoFileOf(source), content.sha256).catch(() => false));
    const staged = await this.#fetched(source, isHere ? content : null);
    if (staged instanceof Rejection) return staged;
    return isText(staged) ? { source, staged: null, failure: staged } : { source, staged, failure: null };
  }

  async #settle(
    found: readonly Found[],
    { dispatch }: Pick<GeoCaller, 'dispatch'>,
  ): Promise<readonly GeoOutcome[] | Rejection> {
    const change = new GeoSwitch(this.#parts);
    const outcomes: GeoOutcome[] = [];
    // A download from a previous URL no longer concerns the source.
    const moved: GeoOutcome[] = [];
    for (const one of found) {
      const { id } = one.source;
      const now = this.#parts.sources().get(id);
      if (now && samePlace(now, one.source)) outcomes.push(await this.#outcome(now, one, change));
      else moved.push({ source: id, outcome: 'failed', reason: message('geo.changedMeanwhile') });
    }
    for (const outcome of outcomes) {
      if (outcome.outcome !== 'failed') continue;
      this.#parts.warn('a geo source could not be updated', {
        source: outcome.source,
        reason: render(outcome.reason, 'en'),
      });
    }
    const done = await change.end((used) => dispatch({ type: 'RecordGeoOutcomes', data: { outcomes, used } }));
    return done instanceof Rejection ? done : [...outcomes, ...moved];
  }

  async #outcome(now: GeoSource, { staged, failure }: Found, change: GeoSwitch): Promise<GeoOutcome> {
    const { files } = this.#parts;
    const { id: source } = now;
    if (failure !== null) return { source, outcome: 'failed', reason: failure };
    try {
      if (staged === null) return { source, outcome: 'unchanged' };
      const { content } = staged;
      const file = geoFileOf(now);
      const same = now.content?.sha256 === content.sha256 && (await files.has(file, content.sha256));
      if (same) return { source, outcome: 'unchanged' };
      const reason = await change.place(staged, file);
      return reason === null ? { source, outcome: 'updated', content } : { source, outcome: 'failed', reason };
    } catch (error) {
      return { source, outcome: 'failed', reason: files.reasonOf(error) };
    }
  }

  /** The download, null when there is nothing newer, or why it failed. */
  async #fetched(place: GeoPlace, known: GeoContent | null): Promise<StagedGeo | Text | Rejection | null> {
    const { files } = this.#parts;
    if (this.#downloads >= MAX_PARALLEL) return reject('GEO_BUSY');
    this.#downloads += 1;
    try {
      return await files.fetch(place, known, this.#ending.signal);
    } catch (error) {
      return files.reasonOf(error);
    } finally {
      this.#downloads -= 1;
    }
  }

  /** Runs tasks one at a time: a file is changed together with the log. */
  #inLine<T>(task: () => Promise<T | Rejection>): Promise<T | Rejection> {
    const turn = this.#line
      .catch(() => undefined)
      .then(() => (this.#ending.signal.aborted ? reject('RESTART_UNDER_WAY') : task()));
    this.#line = turn;
    return turn;
  }

  #forget(file: string): void {
    try {
      this.#parts.files.remove(file);
    } catch (error) {
      this.#parts.warn('the file of a geo source could not be deleted', { file, err: error });
    }
  }
}

async function discard(found: readonly Found[]): Promise<void> {
  for (const { staged } of found) await staged?.discard();
}

function samePlace(a: GeoPlace, b: GeoPlace): boolean {
  return a.type === b.type && a.alias === b.alias && a.url === b.url;
}
