import { join } from 'node:path';
import { readDatabase } from '../../../src/adapters/xui/read-database.js';
import { type ImportReport, type ImportRequest, planImport } from '../../../src/commands/import/plan.js';
import type { XuiPanel } from '../../../src/commands/ports/xui-panel.js';
import { panelState } from '../../../src/commands/state.js';
import { eventType, type PanelEvent } from '../../../src/events/catalog.js';
import { ourName } from '../../../src/http/panel/codec/setting-names.js';
import { render } from '../../../src/messages/render.js';
import { defaultOutboundTestUrl } from '../../../src/projections/core/template.js';
import { T0 } from '../../kit/builders.js';
import { temporaryFolder } from '../../kit/log.js';
import { folded } from '../../kit/spec.js';
import { makeXui, type XuiContent } from '../../kit/xui-database.js';

/** A file of 3x-ui with this content. */
export function xuiFile(content: XuiContent = {}): string {
  const file = join(temporaryFolder(), 'x-ui.db');
  makeXui(file, content);
  return file;
}

/** Imports a database with this content: real rows through the real reader into events. */
export function imported(content: XuiContent, over: Partial<ImportRequest> = {}) {
  const request = { ...requestFor(readDatabase(xuiFile(content))), ...over };
  const { events, report } = planImport(request, T0);
  // As the log does it: an event that breaks its own schema could not be stored.
  for (const { type, data } of events) eventType(type)?.schema.parse(data);
  const state = folded(panelState, ...events);
  return { request, events, report, state, of: typed(events), said: said(report) };
}

/** The request that imports this content into an empty panel. */
export function requestFor(read: XuiPanel): ImportRequest {
  return {
    panel: { ...read, settings: read.settings.map((setting) => ({ ...setting, key: ourName(setting.key) })) },
    file: { sha256: '00', bytes: 1 },
    requestedBy: { kind: 'user', name: 'amy' },
    passwords: read.users.map(({ id, password }) => ({ user: id, hash: password, was: 'hash' })),
    template: null,
    outboundTestUrl: defaultOutboundTestUrl,
    hostProblems: [],
    findings: [],
  };
}

type DataOf<T extends PanelEvent['type']> = Extract<PanelEvent, { type: T }>['data'];

/** The data of all events of a type. */
function typed(events: readonly PanelEvent[]) {
  return <T extends PanelEvent['type']>(type: T): readonly DataOf<T>[] =>
    events.filter((event) => event.type === type).map(({ data }) => data as DataOf<T>);
}

/** A finding as a line. */
export function findingLine({ table, item, outcome, reason }: ImportReport['findings'][number]): string {
  return `${table}: ${outcome}: ${render(item, 'en')}: ${render(reason, 'en')}`;
}

/** The findings with their texts in English. */
export function inEnglish(findings: ImportReport['findings']) {
  return findings.map(({ item, reason, ...finding }) => ({
    ...finding,
    item: render(item, 'en'),
    reason: render(reason, 'en'),
  }));
}

/** The findings as lines. */
function said({ findings }: ImportReport): string[] {
  return findings.map(findingLine);
}
