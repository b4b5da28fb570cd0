import type { Text } from '../../messages/message.js';
import type { RecordedEvent } from '../catalog.js';
import type { GeoSourceId } from '../ids.js';
import { evolve } from '../log/fold.js';
import type { GeoKind } from './geo.js';

/** The installed file of a source. */
export interface GeoContent {
  readonly sha256: string;
  readonly bytes: number;
  /** The `Last-Modified` header of the server, or empty. */
  readonly lastModified: string;
  /** Names of the first hundred lists in the file. */
  readonly tags: readonly string[];
}

/** A custom geo source. Times in ms. */
export interface GeoSource {
  readonly id: GeoSourceId;
  readonly type: GeoKind;
  readonly alias: string;
  readonly url: string;
  /** Null = it has never been downloaded. */
  readonly content: GeoContent | null;
  /** When the file was last downloaded, or found to be current; 0 = never. */
  readonly checkedAt: number;
  /** Why the last attempt failed; null = it did not fail. */
  readonly error: Text | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Applies one event to the sources. */
export function evolveGeoSources(sources: Map<GeoSourceId, GeoSource>, { type, data, meta }: RecordedEvent): void {
  switch (type) {
    case 'GeoSourceAdded': {
      const { source: id, type: kind, alias, url } = data;
      const times = { checkedAt: 0, createdAt: meta.at, updatedAt: meta.at };
      sources.set(id, { id, type: kind, alias, url, content: null, error: null, ...times });
      break;
    }
    case 'GeoSourceUpdated':
      evolve(sources, data.source, (draft) => {
        const { type: kind, alias, url } = data;
        Object.assign(draft, { type: kind, alias, url, error: null, updatedAt: meta.at });
      });
      break;
    case 'GeoSourceDeleted':
      sources.delete(data.source);
      break;
    case 'GeoSourceDownloaded':
      evolve(sources, data.source, (draft) => {
        const { sha256, bytes, lastModified, tags } = data;
        Object.assign(draft, { content: { sha256, bytes, lastModified, tags }, checkedAt: meta.at, error: null });
      });
      break;
    case 'GeoSourceChecked':
      evolve(sources, data.source, (draft) => {
        Object.assign(draft, { checkedAt: meta.at, error: null });
      });
      break;
    case 'GeoSourceFailed':
      evolve(sources, data.source, (draft) => {
        draft.error = data.reason;
      });
      break;
    default:
  }
}
