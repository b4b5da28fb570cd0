import { type Fold, pairs } from '../events/fold.js';
import { evolveGeoSources, type GeoSource } from '../events/geo-document.js';
import type { GeoSourceId } from '../events/ids.js';

/** The admin's own geo sources, in the order in which they were added. */
export const geoSources: Fold<Map<GeoSourceId, GeoSource>> = {
  name: 'geo-sources',
  version: 1,
  initial: () => new Map(),
  apply: evolveGeoSources,
  save: (sources) => pairs(sources),
  load: (saved: [GeoSourceId, GeoSource][]) => new Map(saved),
};
