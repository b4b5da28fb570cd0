import { evolveGeoSources, type GeoSource } from '../../events/geo/geo-document.js';
import type { GeoSourceId } from '../../events/ids.js';
import { type Fold, TRAFFIC } from '../../events/log/fold.js';

/** The custom geo sources, in the order in which they were added. */
export const geoSources: Fold<Map<GeoSourceId, GeoSource>> = {
  name: 'geo-sources',
  version: 2,
  ignores: TRAFFIC,
  initial: () => new Map(),
  apply: evolveGeoSources,
};
