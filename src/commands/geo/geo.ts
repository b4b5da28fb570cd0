import type { PanelEvent } from '../../events/catalog.js';
import { CoreRestartRequested } from '../../events/core.js';
import {
  GeoSourceAdded,
  GeoSourceChecked,
  GeoSourceDeleted,
  GeoSourceDownloaded,
  GeoSourceFailed,
  GeoSourceRejected,
  GeoSourceUpdated,
  geoFileOf,
} from '../../events/geo/geo.js';
import type { GeoContent, GeoSource } from '../../events/geo/geo-document.js';
import { GeoSourceId } from '../../events/ids.js';
import type { Caused } from '../../events/log/event.js';
import type { Text } from '../../messages/message.js';
import type { Command, Decider } from '../command.js';
import type { GeoPlace } from '../ports/geo-sources.js';
import { type Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { geoPlaceProblem, placesThatUse } from './geo-rules.js';

/** Each file takes space on the disk. */
const MAX_SOURCES = 100;

/** The result of an update for one source. */
export type GeoOutcome = { readonly source: number } & (
  | { readonly outcome: 'updated'; readonly content: GeoContent }
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'failed'; readonly reason: Text }
);

/** A file that is in place. `used`: the configuration of the core names it. */
interface Installed {
  /** Null: an undo changes the source, and its file is downloaded later. */
  readonly content: GeoContent | null;
  readonly used: boolean;
}

export type GeoCommand =
  | Command<'AddGeoSource', GeoPlace & Installed>
  | Command<'UpdateGeoSource', GeoPlace & Installed & { readonly source: number }>
  | Command<'DeleteGeoSource', { readonly source: number }>
  | Command<'RecordGeoOutcomes', { readonly outcomes: readonly GeoOutcome[]; readonly used: boolean }>
  | Command<'RecordGeoRejection', GeoPlace & { readonly source: number | null; readonly reason: Text }>;

export const geo: Decider<GeoCommand> = {
  AddGeoSource({ type, alias, url, content, used }, state) {
    if (state.geoSources.size >= MAX_SOURCES) return reject('GEO_SOURCES_FULL', { most: MAX_SOURCES });
    const problem = geoPlaceProblem({ type, alias, url }, undefined, state.geoSources.values());
    if (problem) return problem;
    const source = GeoSourceId.parse(state.lastGeoSource + 1);
    return [
      GeoSourceAdded({ source, type, alias, url }),
      ...[...downloaded(source, content), ...restart(state, used)].map((event) => ({ ...event, cause: 0 })),
    ];
  },

  /** Changes the type, alias or URL; the file from there is already in place. */
  UpdateGeoSource({ source, type, alias, url, content, used }, state) {
    const own = state.geoSources.get(source as GeoSourceId);
    if (!own) return reject('GEO_SOURCE_NOT_FOUND', { source });
    const problem =
      geoPlaceProblem({ type, alias, url }, own, state.geoSources.values()) ??
      (geoFileOf(own) === geoFileOf({ type, alias }) ? null : usedProblem(state, own));
    if (problem) return problem;
    return [
      GeoSourceUpdated({ source: own.id, type, alias, url }),
      ...[...downloaded(own.id, content), ...restart(state, used)].map((event) => ({ ...event, cause: 0 })),
    ];
  },

  DeleteGeoSource({ source }, state) {
    const own = state.geoSources.get(source as GeoSourceId);
    if (!own) return reject('GEO_SOURCE_NOT_FOUND', { source });
    return usedProblem(state, own) ?? [GeoSourceDeleted({ source: own.id })];
  },

  /** Sources that were deleted meanwhile are skipped. */
  RecordGeoOutcomes({ outcomes, used }, state) {
    const events: Caused<PanelEvent>[] = outcomes.flatMap((outcome): Caused<PanelEvent>[] => {
      const own = state.geoSources.get(outcome.source as GeoSourceId);
      if (!own) return [];
      if (outcome.outcome === 'updated') return [...downloaded(own.id, outcome.content)];
      if (outcome.outcome === 'unchanged') return [GeoSourceChecked({ source: own.id })];
      return [GeoSourceFailed({ source: own.id, reason: outcome.reason })];
    });
    return events.length === 0 ? [] : [...events, ...restart(state, used).map((event) => ({ ...event, cause: 0 }))];
  },

  RecordGeoRejection({ source, type, alias, url, reason }) {
    return [
      GeoSourceRejected({ source: source === null ? null : GeoSourceId.parse(source), type, alias, url, reason }),
    ];
  },
};

function downloaded(source: GeoSourceId, content: GeoContent | null): readonly PanelEvent[] {
  if (content === null) return [];
  const { sha256, bytes, lastModified, tags } = content;
  return [GeoSourceDownloaded({ source, sha256, bytes, lastModified, tags: [...tags] })];
}

/** A core that an admin has stopped stays stopped. */
function restart({ core }: PanelState, used: boolean): readonly PanelEvent[] {
  return used && core.wanted ? [CoreRestartRequested({})] : [];
}

/** Rejects the removal of a file that the core's configuration names: the core would not start again. */
function usedProblem({ template, inbounds }: PanelState, own: GeoSource): Rejection | null {
  const file = geoFileOf(own);
  const listeners = Object.fromEntries([...inbounds.values()].map(({ tag, config }) => [tag, config]));
  const places = [...placesThatUse(template?.template, file), ...placesThatUse({ inbounds: listeners }, file)];
  return places.length === 0 ? null : reject('GEO_SOURCE_USED', { file, places });
}
