import type { PanelEvent } from '../../events/catalog.js';
import { GeoKind, GeoSourceAdded } from '../../events/geo.js';
import { GeoSourceId, NodeId } from '../../events/ids.js';
import { NodeAdded } from '../../events/node.js';
import type { ForeignGeo, ForeignNode } from '../ports/foreign-panel.js';
import { wellFormed } from './json.js';
import { type Notes, shown } from './report.js';

const HOST = /^[\w.\-:]{1,253}$/;
const ALIAS = /^[a-z0-9_-]{1,64}$/;
const LONGEST_URL = 2048;

/** The nodes, under their own numbers and with their tokens. */
export function importNodes(nodes: readonly ForeignNode[], notes: Notes): PanelEvent[] {
  if (nodes.length > 0) notes.rows('nodes', nodes.length);
  const names = new Set<string>();
  const numbers = new Set<number>();
  return nodes.flatMap((row) => {
    const name = wellFormed(row.name.trim());
    const host = row.address.trim().replace(/^\[(.*)\]$/, '$1');
    const why =
      row.id < 1 || numbers.has(row.id)
        ? 'its number is none of a node, or another has it'
        : name === '' || names.has(name)
          ? 'it has no name, or that of another'
          : !HOST.test(host)
            ? 'its address is none'
            : row.port < 1 || row.port > 65_535
              ? 'its port is none'
              : null;
    if (why !== null) {
      notes.dropped('nodes', `node ${shown(row.name) || row.id}`, why);
      return [];
    }
    names.add(name);
    numbers.add(row.id);
    const spec = {
      name,
      remark: wellFormed(row.remark),
      scheme: row.scheme === 'http' ? ('http' as const) : ('https' as const),
      host,
      port: row.port,
      basePath: `/${wellFormed(row.basePath)}/`.replace(/\/{2,}/g, '/'),
      allowPrivateAddress: row.allowPrivateAddress,
    };
    const secret = { token: wellFormed(row.apiToken.trim()) };
    return [NodeAdded({ node: NodeId.parse(row.id), enabled: row.enable, spec, life: 1, secret })];
  });
}

/** The geo sources of the admin's own. Their files come with the first download. */
export function importGeo(sources: readonly ForeignGeo[], notes: Notes): PanelEvent[] {
  if (sources.length > 0) notes.rows('custom_geo_resources', sources.length);
  const names = new Set<string>();
  const numbers = new Set<number>();
  return sources.flatMap(({ id, type, alias, url }) => {
    const kind = GeoKind.safeParse(type);
    const known = URL.canParse(url) && url.length <= LONGEST_URL && /^https?:$/.test(new URL(url).protocol);
    const why =
      id < 1 || numbers.has(id)
        ? 'its number is none of a source, or another has it'
        : !kind.success || !ALIAS.test(alias)
          ? 'its type or its alias is none'
          : names.has(`${type}_${alias}`)
            ? 'another source has its type and alias'
            : known
              ? null
              : 'its address is none';
    if (why !== null || !kind.success) {
      notes.dropped('custom_geo_resources', `geo source ${shown(alias) || id}`, why ?? '');
      return [];
    }
    names.add(`${type}_${alias}`);
    numbers.add(id);
    return [GeoSourceAdded({ source: GeoSourceId.parse(id), type: kind.data, alias, url })];
  });
}
