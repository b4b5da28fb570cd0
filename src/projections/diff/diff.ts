import type { RecordedEvent } from '../../events/catalog.js';
import type { Client } from '../../events/client/client-document.js';
import type { LogSearch } from '../../events/log/log-search.js';
import { sameJson } from '../../lib/json.js';
import type { Steps } from '../../lib/time/slices.js';
import { type Text } from '../../messages/message.js';
import { type Change, changedPaths, changesOf } from '../audit/changes.js';
import type { ReadModels } from '../read-models.js';
import { actorText } from '../why/history.js';
import { documentOf, isSameClient, sourcesOf } from './documents.js';
import { type MomentDocument, type Noun, nouns, type Shown } from './moment-document.js';

/** A field whose value differs between two moments. */
export interface FieldChange extends Change {
  /** Its data key was destroyed since: the erased value is left out. */
  readonly erased: boolean;
  /** The last event between the moments that set it; null when there is none. */
  readonly position: number | null;
}

/** An event between two moments that changed a document. */
interface ChangingEvent {
  readonly position: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly type: string;
  readonly by: Text;
}

/** A document that was added, removed or changed. An added one has all fields of the later moment. */
export interface DocumentDiff {
  readonly noun: Noun;
  /** 0 for the settings, the core and a role. */
  readonly number: number;
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly fields: readonly FieldChange[];
  /** Newest first, at most 50. */
  readonly events: readonly ChangingEvent[];
}

/** A document at the two moments. */
interface Pair {
  readonly before: MomentDocument | undefined;
  readonly after: MomentDocument | undefined;
}

/** A document of which the two moments have different versions. Its pair is made when it is shown. */
interface Difference {
  readonly change: DocumentDiff['change'];
  readonly pair: () => Pair;
}

type Read = Pick<ReadModels, 'clients' | 'inbounds' | 'nodes' | 'settings' | 'admins' | 'records'>;

/** What is compared. Empty = everything. */
export interface DiffFilter {
  readonly noun: Noun | '';
  /** The email of clients at either moment. */
  readonly client: string;
}

/** How many documents of each noun were added, removed and changed. */
type DiffCounts = Readonly<Record<DocumentDiff['change'], number>>;

/** Documents that are compared in one step. */
const STEP = 100;
const MAX_EVENTS = 50;

/** One of the two moments. */
interface Side {
  readonly position: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly read: Read;
  /** Names of data keys that this side has and the other one has destroyed. */
  readonly destroyed?: ReadonlySet<string>;
}

/** A report of the documents that differ. `part`: those that it contains. `search`: null = the sides are of different logs. */
export function* diffSteps(
  before: Side,
  after: Side,
  filter: DiffFilter,
  { part: { skip, limit }, search }: { readonly part: Part; readonly search: Between['search'] | null },
): Steps<DiffReport> {
  const found = yield* differences(before, after, filter);
  const between = search && { search, from: before.position, to: after.position };
  const documents: DocumentDiff[] = [];
  for (const { change, pair } of found.slice(skip, skip + limit)) {
    documents.push(diffOf(change, pair(), between));
    yield;
  }
  const moment = ({ position, at }: Side) => ({ position, at });
  return { from: moment(before), to: moment(after), counts: countsOf(found), documents, skipped: skip };
}

export interface Part {
  readonly skip: number;
  readonly limit: number;
}

/** The documents that differ between two moments, or a part of them. */
export interface DiffReport {
  readonly from: Pick<Side, 'position' | 'at'>;
  readonly to: Pick<Side, 'position' | 'at'>;
  readonly counts: DiffCounts;
  readonly documents: readonly DocumentDiff[];
  /** How many documents are left out at the beginning. */
  readonly skipped: number;
}

/** Compares the documents of two moments, by noun and number. Reads them in its first step. */
function* differences(before: Side, after: Side, { noun, client }: DiffFilter): Steps<readonly Difference[]> {
  const found: Difference[] = [];
  const wanted = client === '' ? nouns.filter((one) => noun === '' || one === noun) : (['client'] as const);
  const email = client.toLowerCase();
  const isNamed = (document: MomentDocument | undefined): boolean => document?.name.toLowerCase() === email;
  const all = wanted.map((one) => [one, sourcesOf(before.read, one), sourcesOf(after.read, one)] as const);
  for (const [one, earlier, later] of all) {
    yield;
    const [was, is] = [new Map(earlier), new Map(later)];
    const documentIn = (side: Side, sources: ReadonlyMap<number | string, unknown>, key: number | string) =>
      sources.has(key) ? documentOf(one, sources.get(key), side.destroyed) : undefined;
    let compared = 0;
    for (const number of new Set([...was.keys(), ...is.keys()])) {
      compared += 1;
      if (compared % STEP === 0) yield;
      if (was.get(number) === is.get(number)) continue;
      const pair = (): Pair => ({
        before: documentIn(before, was, number),
        after: documentIn(after, is, number),
      });
      if (client !== '' && !Object.values(pair()).some(isNamed)) continue;
      const change = !was.has(number) ? 'added' : !is.has(number) ? 'removed' : 'changed';
      if (change === 'changed' && isSame(one, [was.get(number), before], [is.get(number), after], pair)) continue;
      found.push({ change, pair });
    }
  }
  return found;
}

type Seen = readonly [source: unknown, side: Side];

/** Clients are compared without documents: making those of all clients takes several times as long. */
function isSame(noun: Noun, [was, before]: Seen, [is, after]: Seen, pair: () => Pair): boolean {
  if (noun !== 'client') return !differs(pair());
  return isSameClient([was as Client, before.destroyed], [is as Client, after.destroyed]);
}

/** A document can differ in something that is not shown, such as the time of its last change. */
function differs({ before, after }: Pair): boolean {
  if (!before || !after) return true;
  const [earlier, later] = [before.shown(), after.shown()];
  const isErased = ({ erased }: Shown): boolean => erased.size > 0;
  return (
    isErased(earlier) !== isErased(later) ||
    !sameJson(earlier.values, later.values) ||
    !sameJson(earlier.secrets, later.secrets)
  );
}

function countsOf(found: readonly Difference[]): DiffCounts {
  const counts = { added: 0, removed: 0, changed: 0 };
  for (const { change } of found) counts[change] += 1;
  return counts;
}

/** The events from which causes are read; null = the two moments are of different logs. */
interface Between {
  readonly search: Pick<LogSearch, 'earlier'>;
  readonly from: number;
  readonly to: number;
}

/** The fields of one document, and the events that changed them. */
function diffOf(change: DocumentDiff['change'], pair: Pair, between: Between | null): DocumentDiff {
  const document = pair.after ?? pair.before;
  if (!document) throw new Error('a difference without documents');
  const { noun, number, stream } = document;
  const events = between ? eventsOf(between, noun, stream) : [];
  const setBy = new Map<string, number>();
  for (const event of events.toReversed())
    for (const { field } of between ? changesOf(between.search, event) : []) setBy.set(field, event.position);
  const fields = fieldsOf(pair).map((change) => ({ ...change, position: setBy.get(change.field) ?? null }));
  const known = [pair.after, pair.before].find((one) => one && !one.shown().erased.has('email'));
  return {
    ...{ noun, number, name: (known ?? document).name, change, fields },
    events: events.map(({ position, type, meta }) => {
      const by = actorText({ ...meta, actor: { ...meta.actor, ip: null } });
      return { position, at: meta.at, type, by };
    }),
  };
}

/** The events that change what a diff shows. */
const TYPES: Readonly<Record<Noun, readonly RecordedEvent['type'][]>> = {
  client: [
    ...(['ClientAdded', 'ClientDeleted', 'ClientUpdated', 'ClientIdentityChanged', 'ClientCredentialRotated'] as const),
    ...(['ClientDepleted', 'ClientReactivated', 'ClientExpiryStarted', 'ClientRenewed'] as const),
  ],
  inbound: [
    ...(['InboundAdded', 'InboundDeleted', 'InboundUpdated', 'InboundReconfigured'] as const),
    ...(['InboundEnabled', 'InboundDisabled', 'InboundDepleted', 'InboundReactivated'] as const),
  ],
  node: ['NodeAdded', 'NodeDeleted', 'NodeUpdated', 'NodeTokenReplaced', 'NodeEnabled', 'NodeDisabled'],
  settings: ['SettingsChanged', 'SecretSettingChanged'],
  core: ['CoreTemplateChanged'],
  role: ['RoleDefined', 'RoleDeleted'],
  admin: ['UserCreated', 'UserCredentialsChanged', 'AdminAccessChanged', 'AdminDeleted'],
  token: ['TokenCreated', 'TokenChanged', 'TokenRotated', 'TokenRevoked'],
  webhook: [
    ...(['WebhookAdded', 'WebhookUpdated', 'WebhookSecretRotated', 'WebhookPaused', 'WebhookResumed'] as const),
    'WebhookDeleted',
  ],
  hold: ['LegalHoldPlaced', 'LegalHoldReleased'],
  geoSource: ['GeoSourceAdded', 'GeoSourceUpdated', 'GeoSourceDeleted'],
};

/** Newest first. */
function eventsOf({ search, from, to }: Between, noun: Noun, stream: string): readonly RecordedEvent[] {
  const events: RecordedEvent[] = [];
  for (const event of search.earlier(stream, Number.MAX_SAFE_INTEGER, TYPES[noun])) {
    if (event.position > to) continue;
    if (event.position <= from || events.length === MAX_EVENTS) break;
    events.push(event);
  }
  return events;
}

const NONE: Shown = { values: {}, secrets: {}, erased: new Set() };

/** Keys of the longest path of a secret: those of a configuration are named one by one. */
const SECRET_DEPTH: Partial<Readonly<Record<Noun, number>>> = { inbound: 4, core: 4 };

function fieldsOf({ before, after }: Pair): readonly Omit<FieldChange, 'position'>[] {
  const [earlier, later] = [before?.shown() ?? NONE, after?.shown() ?? NONE];
  const depth = SECRET_DEPTH[(after ?? before)?.noun ?? 'client'] ?? 1;
  const isErased = ({ erased }: Shown, field: string): boolean => erased.has(field.split('.')[0] ?? field);
  const fields: Omit<FieldChange, 'position'>[] = [];
  for (const field of new Set([...Object.keys(earlier.values), ...Object.keys(later.values)])) {
    const [from, to] = [earlier.values[field], later.values[field]];
    const [hidesFrom, hidesTo] = [isErased(earlier, field), isErased(later, field)];
    // A value can equal the placeholder of an erased one.
    if (before && after && hidesFrom === hidesTo && (hidesFrom || sameJson(from, to))) continue;
    fields.push({
      field,
      ...(from === undefined || hidesFrom ? {} : { before: from }),
      ...(to === undefined || hidesTo ? {} : { after: to }),
      ...{ secret: false, erased: hidesFrom || hidesTo },
    });
  }
  for (const field of changedPaths(earlier.secrets, later.secrets, depth))
    fields.push({ field, secret: true, erased: isErased(earlier, field) || isErased(later, field) });
  return fields;
}
