import type { RecordedEvent } from '../catalog.js';
import type { GeoSourceId } from '../ids.js';
import { evolve } from '../log/fold.js';
import type { GeoKind } from './geo.js';

/** What came last from the address of a source, and is in its file. */
export interface GeoContent {
  readonly sha256: string;
  readonly bytes: number;
  /** `Last-Modified`, as the server wrote it, or empty. */
  readonly lastModified: string;
  /** Names of the first lists in it. */
  readonly tags: readonly string[];
}

/** A geo source of the admin's own after its events. Times in ms. */
export interface GeoSource {
  readonly id: GeoSourceId;
  readonly type: GeoKind;
  readonly alias: string;
  readonly url: string;
  /** Null = there never was a file. */
  readonly content: GeoContent | null;
  /** When the file was last got, or found to be the newest; 0 = never. */
  readonly checkedAt: number;
  /** Why the last try failed; empty = it did not. */
  readonly error: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The sources after one more event. */
export function evolveGeoSources(sources: Map<GeoSourceId, GeoSource>, { type, data, meta }: RecordedEvent): void {
  switch (type) {
    case 'GeoSourceAdded': {
      const { source: id, type: kind, alias, url } = data;
      const times = { checkedAt: 0, createdAt: meta.at, updatedAt: meta.at };
      sources.set(id, { id, type: kind, alias, url, content: null, error: '', ...times });
      break;
    }
    case 'GeoSourceUpdated':
      evolve(sources, data.source, (draft) => {
        const { type: kind, alias, url } = data;
        Object.assign(draft, { type: kind, alias, url, error: '', updatedAt: meta.at });
      });
      break;
    case 'GeoSourceDeleted':
      sources.delete(data.source);
      break;
    case 'GeoSourceDownloaded':
      evolve(sources, data.source, (draft) => {
        const { sha256, bytes, lastModified, tags } = data;
        Object.assign(draft, { content: { sha256, bytes, lastModified, tags }, checkedAt: meta.at, error: '' });
      });
      break;
    case 'GeoSourceChecked':
      evolve(sources, data.source, (draft) => {
        Object.assign(draft, { checkedAt: meta.at, error: '' });
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
