import type { PanelEvent, RecordedEvent } from '../../events/catalog.js';
import { UserId } from '../../events/ids.js';
import {
  type ImportedTable,
  type ImportFinding,
  type ImportTotals,
  OutboundHistoryImported,
  PanelImported,
} from '../../events/import.js';
import { InboundAdded } from '../../events/inbound/inbound.js';
import type { Actor, Caused } from '../../events/log/event.js';
import { NodeInboundAdopted } from '../../events/node/node-sync.js';
import type { JsonObject } from '../../lib/json.js';
import { message } from '../../messages/message.js';
import type { XuiNode, XuiOutbound, XuiPanel } from '../ports/xui-panel.js';
import { type PanelState, panelState } from '../state.js';
import { type ImportedInbound, importInbound, inboundItem } from './inbounds.js';
import { importClients } from './people.js';
import { mostSevere, Notes } from './report.js';
import { type HostProblem, importSettings } from './settings.js';
import { importGeo, importNodes, nodeItem } from './surroundings.js';
import { importTemplate } from './template.js';
import { importUsers, type PreparedPassword } from './users.js';

/** The data of another panel, with the results of checks by the machine and the core. */
export interface ImportRequest {
  /** Its settings have the names of this panel. */
  readonly panel: XuiPanel;
  readonly file: { readonly sha256: string; readonly bytes: number };
  readonly requestedBy: Pick<Actor, 'kind' | 'name'>;
  readonly passwords: readonly PreparedPassword[];
  readonly template: JsonObject | null;
  readonly outboundTestUrl: string;
  readonly hostProblems: readonly HostProblem[];
  /** Findings of the preparation. */
  readonly findings: readonly ImportFinding[];
}

/** The report of an import, for people: the differences, and the totals before and after. */
export interface ImportReport {
  readonly source: '3x-ui';
  readonly version: string;
  readonly file: { readonly sha256: string; readonly bytes: number };
  readonly tables: readonly ImportedTable[];
  readonly totals: { readonly before: ImportTotals; readonly after: ImportTotals; readonly skipped: ImportTotals };
  /** The number of all findings, and all of them or the most severe. */
  readonly found: number;
  readonly findings: readonly ImportFinding[];
}

/** Limit of findings in the event; the most severe ones are kept. */
const MAX_FINDINGS = 500;

/** The events of an import into an empty log. Pure: the same data gives the same events. */
export function planImport(
  request: ImportRequest,
  now: number,
): { readonly events: readonly Caused<PanelEvent>[]; readonly report: ImportReport } {
  const { panel, file, requestedBy } = request;
  const notes = new Notes([...panel.findings, ...request.findings]);
  const state = panelState.initial();
  const events: PanelEvent[] = [];
  const add = (more: readonly PanelEvent[]): void => {
    events.push(...more);
    for (const event of more) panelState.apply(state, asRecorded(event, now));
  };
  add(importUsers(panel.users, request.passwords, notes));
  add(importNodes(panel.nodes, notes));
  add(importGeo(panel.geo, notes));
  const inbounds = importInbounds(panel, { state, notes, now, add });
  noteNodes(panel.nodes, events, notes);
  const { hostProblems } = request;
  const settings = importSettings(panel, { state, hostProblems, now, notes });
  const template = importTemplate(request, inbounds);
  const clients = importClients(panel, inbounds, now, notes);
  const outbounds = importOutbounds(panel.outbounds, notes);
  const totals = { before: notes.before, after: notes.after, skipped: notes.skipped };
  const [version, tables, findings] = [panel.version, notes.tables(), notes.findings];
  const imported = PanelImported({
    source: '3x-ui',
    version,
    file,
    tables,
    ...totals,
    findingCount: findings.length,
    details: {
      requestedBy: { kind: requestedBy.kind, name: requestedBy.name },
      findings: [...mostSevere(findings, MAX_FINDINGS)],
    },
  });
  const all = [...events, ...settings, ...template, ...clients, ...outbounds];
  return {
    events: [imported, ...all.map((event) => ({ ...event, cause: 0 }))],
    report: { source: '3x-ui', version, file, tables, totals, found: findings.length, findings },
  };
}

/** Wraps an event so that the write state can fold it: later rules depend on it. */
function asRecorded(event: PanelEvent, at: number): RecordedEvent {
  const actor: Actor = { kind: 'system', id: 'import', name: 'import', ip: null };
  const meta = { at, actor, correlationId: '', causationId: null, commandId: null };
  return { ...event, position: 0, id: '', stream: '', version: 0, meta } as RecordedEvent;
}

interface ImportContext {
  readonly state: PanelState;
  readonly notes: Notes;
  readonly now: number;
  readonly add: (events: readonly PanelEvent[]) => void;
}

function importInbounds({ inbounds }: XuiPanel, { state, notes, now, add }: ImportContext): readonly ImportedInbound[] {
  notes.rows('inbounds', inbounds.length);
  const first = [...state.users.keys()][0] ?? 1;
  const owner = (user: number): UserId => UserId.parse(state.users.has(user) ? user : first);
  return inbounds.flatMap((row) => {
    const taken = importInbound(row, { state, owner, notes, now });
    if (!taken) return [];
    const { id: inbound, node, enabled, spec, config } = taken;
    add([InboundAdded({ inbound, owner: taken.owner, node, enabled, spec, keyVersion: 1, config })]);
    add(adoptionOf(taken, notes));
    return [taken];
  });
}

/** An inbound that 3x-ui managed on a node is adopted by its tag. A changed one does not replace the inbound of the node. */
function adoptionOf({ id: inbound, node, row, whole }: ImportedInbound, notes: Notes): PanelEvent[] {
  if (node === null) return [];
  if (whole && row.tag !== '') return [NodeInboundAdopted({ node, inbound, tag: row.tag })];
  notes.noted('inbounds', inboundItem(row), message('import.nodeKeepsInbound'));
  return [];
}

function noteNodes(nodes: readonly XuiNode[], events: readonly PanelEvent[], notes: Notes): void {
  for (const { id, name } of nodes) {
    const count = events.filter(({ type, data }) => type === 'NodeInboundAdopted' && data.node === id).length;
    if (count > 0) notes.noted('nodes', nodeItem({ id, name }), message('import.nodeInbounds', { inbounds: count }));
  }
}

function importOutbounds(outbounds: readonly XuiOutbound[], notes: Notes): PanelEvent[] {
  notes.rows('outbound_traffics', outbounds.length);
  const events = new Map<string, PanelEvent>();
  for (const { id, tag, up, down } of outbounds) {
    const bytes = { outboundUp: up, outboundDown: down };
    notes.found(bytes);
    if (tag === '' || events.has(tag)) {
      notes.dropped('outbound_traffics', message('import.row', { row: id }), message('import.outboundTag'));
      notes.lost(bytes);
    } else {
      events.set(tag, OutboundHistoryImported({ tag, up, down }));
      notes.took(bytes);
    }
  }
  return [...events.values()];
}
