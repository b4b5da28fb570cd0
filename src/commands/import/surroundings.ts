import type { PanelEvent } from '../../events/catalog.js';
import { GeoKind, GeoSourceAdded } from '../../events/geo/geo.js';
import { GeoSourceId, NodeId } from '../../events/ids.js';
import { NodeAdded } from '../../events/node/node.js';
import { isText, message, type Text } from '../../messages/message.js';
import { readSpec, tokenError } from '../node/node-rules.js';
import type { XuiGeo, XuiNode } from '../ports/xui-panel.js';
import { wellFormed } from './json.js';
import { type Notes, shown } from './report.js';

const ALIAS = /^[a-z0-9_-]{1,64}$/;
const MAX_URL_CHARS = 2048;

export const nodeItem = ({ id, name }: Pick<XuiNode, 'id' | 'name'>): Text =>
  message('import.node', { name: shown(name) || id });

/** The nodes with their numbers and tokens. They must satisfy the same rules as added nodes. */
export function importNodes(nodes: readonly XuiNode[], notes: Notes): PanelEvent[] {
  if (nodes.length > 0) notes.rows('nodes', nodes.length);
  const names = new Set<string>();
  const numbers = new Set<number>();
  return nodes.flatMap((row) => {
    const item = nodeItem(row);
    const spec = readSpec({
      name: printable(row.name),
      remark: printable(row.remark),
      scheme: row.scheme === 'http' ? 'http' : 'https',
      host: row.address,
      port: row.port,
      basePath: row.basePath,
      allowPrivateAddress: row.allowPrivateAddress,
    });
    const token = wellFormed(row.apiToken.trim());
    const why =
      row.id < 1 || numbers.has(row.id)
        ? message('import.numberInvalid')
        : isText(spec)
          ? spec
          : names.has(spec.name.toLowerCase())
            ? message('import.nodeNameTaken')
            : null;
    if (why !== null || isText(spec)) {
      notes.dropped('nodes', item, why ?? message('import.numberInvalid'));
      return [];
    }
    if (spec.name !== row.name.trim()) notes.changed('nodes', item, message('import.nodeNameChanged'));
    const problem = tokenError(token);
    if (problem) notes.changed('nodes', item, message('import.nodeTokenInvalid'));
    names.add(spec.name.toLowerCase());
    numbers.add(row.id);
    const secret = { token: problem ? '' : token };
    return [NodeAdded({ node: NodeId.parse(row.id), enabled: row.enable, spec, keyVersion: 1, secret })];
  });
}

/** The printable part of a value, for a message. */
const printable = (text: string): string =>
  wellFormed(text.replace(/[\p{Cc}\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/gu, '').trim());

/** The custom geo sources. Their files are downloaded later. */
export function importGeo(sources: readonly XuiGeo[], notes: Notes): PanelEvent[] {
  if (sources.length > 0) notes.rows('custom_geo_resources', sources.length);
  const names = new Set<string>();
  const numbers = new Set<number>();
  return sources.flatMap(({ id, geoType: type, alias, url }) => {
    const kind = GeoKind.safeParse(type);
    const known = URL.canParse(url) && url.length <= MAX_URL_CHARS && /^https?:$/.test(new URL(url).protocol);
    const why =
      id < 1 || numbers.has(id)
        ? message('import.numberInvalid')
        : !kind.success || !ALIAS.test(alias)
          ? message('import.geoTypeInvalid')
          : names.has(`${type}_${alias}`)
            ? message('import.geoTaken')
            : known
              ? null
              : message('import.geoUrlInvalid');
    if (why !== null || !kind.success) {
      const item = message('import.geoSource', { name: shown(alias) || id });
      notes.dropped('custom_geo_resources', item, why ?? message('import.geoTypeInvalid'));
      return [];
    }
    names.add(`${type}_${alias}`);
    numbers.add(id);
    return [GeoSourceAdded({ source: GeoSourceId.parse(id), type: kind.data, alias, url })];
  });
}
