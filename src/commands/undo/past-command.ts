import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent } from '../../events/catalog.js';
import { type Client, evolveClients } from '../../events/client/client-document.js';
import { membersOf } from '../../events/client/members.js';
import type { ClientNumber, InboundId, NodeId } from '../../events/ids.js';
import { evolveInbounds, type Inbound } from '../../events/inbound/inbound-document.js';
import type { EventHeader, LogSearch } from '../../events/log/log-search.js';
import { evolveNodes, type Node } from '../../events/node/node-document.js';
import { defaultSettings, type SettingKey, type Settings } from '../../events/settings/settings.js';
import type { JsonObject } from '../../lib/json.js';
import { type OtherSteps, otherSteps } from './other-steps.js';
import { type OwnerStep, ownerSteps } from './owners.js';
import { hasErased, type Noun, type Step, stepsOf } from './steps.js';
import { effective, type Undos } from './undone.js';

/** A command of the past: its events, and the documents that it changed. */
export interface PastCommand {
  readonly first: EventHeader;
  readonly last: EventHeader;
  readonly events: readonly RecordedEvent[];
  readonly clients: ReadonlyMap<ClientNumber, Step<Client>>;
  readonly inbounds: ReadonlyMap<InboundId, Step<Inbound>>;
  readonly nodes: ReadonlyMap<NodeId, Step<Node>>;
  /** The owners of the clients that it deleted or gave another owner. */
  readonly owners: ReadonlyMap<ClientNumber, OwnerStep>;
  /** The settings that it changed; null = none. */
  readonly settings: { readonly before: Partial<Settings>; readonly after: Partial<Settings> } | null;
  readonly template: { readonly before: Template; readonly after: Template; readonly erased: boolean } | null;
  readonly others: OtherSteps;
}

/** The template of the core, and the URL of outbound tests. */
interface Template {
  readonly template: JsonObject;
  readonly outboundTestUrl: string;
}

/** Headers that are read before other work gets a turn: about 5 ms. */
const PAGE = 300;
const EVERYTHING = { types: null, actorKind: null, from: 0, to: Number.MAX_SAFE_INTEGER } as const;

/**
 * Reads the command that an event belongs to, or the last one that did the same again after it was undone. Null if there is
 * no event at the position. `builtIn`: the first template.
 */
export async function readCommand(
  log: LogSearch,
  position: number,
  { builtIn, undos }: { readonly builtIn: Template; readonly undos: Undos },
): Promise<PastCommand | null> {
  const named = await rangeOf(log, position);
  const range = named && (await rangeOf(log, effective(undos, named.first.position)));
  if (range === null) return null;
  const events: RecordedEvent[] = [];
  for (let at = range.first.position; at <= range.last.position; at += 1) {
    const event = log.event(at);
    if (event) events.push(...membersOf(event));
    if (at % PAGE === 0) await nextTurn();
  }
  const clients = await stepsOf(log, events, CLIENT, evolveClients);
  return {
    ...{ ...range, events, clients },
    owners: await ownerSteps(log, events, deletedBy({ clients })),
    inbounds: await stepsOf(log, events, INBOUND, evolveInbounds),
    nodes: await stepsOf(log, events, NODE, evolveNodes),
    settings: settingsStep(log, events),
    template: templateStep(log, events, builtIn),
    others: await otherSteps(log, events),
  };
}

/** The first and the last event of the command that an event belongs to: the neighbours with the same origin and time. */
export async function rangeOf(
  log: LogSearch,
  position: number,
): Promise<{ readonly first: EventHeader; readonly last: EventHeader } | null> {
  const middle = log.header(position);
  if (!middle) return null;
  let [first, last] = [middle, middle];
  for (let open = true; open; await nextTurn()) {
    const before = log.between(first.position - PAGE, first.position - 1, EVERYTHING);
    const same = countSame(before, middle);
    first = before[same - 1] ?? first;
    open = same === PAGE;
  }
  for (let open = true; open; await nextTurn()) {
    const after = log.between(last.position + 1, last.position + PAGE, EVERYTHING).toReversed();
    const same = countSame(after, middle);
    last = after[same - 1] ?? last;
    open = same === PAGE;
  }
  return { first, last };
}

/** How many headers, from the first one on, belong to the same command. */
function countSame(headers: readonly EventHeader[], { meta: { at, correlationId, actor } }: EventHeader): number {
  const other = headers.findIndex(
    ({ meta }) => meta.at !== at || meta.correlationId !== correlationId || meta.actor.id !== actor.id,
  );
  return other < 0 ? headers.length : other;
}

const CLIENT: Noun<ClientNumber> = {
  numberIn: (event) => (CLIENT.types.includes(event.type) ? (event.data as { client: ClientNumber }).client : null),
  types: [
    ...(['ClientAdded', 'ClientDeleted', 'ClientUpdated', 'ClientIdentityChanged', 'ClientCredentialRotated'] as const),
    ...(['ClientDepleted', 'ClientReactivated', 'ClientExpiryStarted', 'ClientRenewed'] as const),
  ],
};
const INBOUND: Noun<InboundId> = {
  numberIn: (event) => (INBOUND.types.includes(event.type) ? (event.data as { inbound: InboundId }).inbound : null),
  types: [
    ...(['InboundAdded', 'InboundDeleted', 'InboundUpdated', 'InboundReconfigured'] as const),
    ...(['InboundEnabled', 'InboundDisabled', 'InboundDepleted', 'InboundReactivated'] as const),
  ],
};
const NODE: Noun<NodeId> = {
  numberIn: (event) => (NODE.types.includes(event.type) ? (event.data as { node: NodeId }).node : null),
  types: [
    ...(['NodeAdded', 'NodeDeleted', 'NodeUpdated', 'NodeTokenReplaced', 'NodeEnabled', 'NodeDisabled'] as const),
  ],
};

function settingsStep(log: Pick<LogSearch, 'earlier'>, events: readonly RecordedEvent[]): PastCommand['settings'] {
  const own = events.filter((event) => event.type === 'SettingsChanged');
  const [first] = own;
  if (!first) return null;
  const after: Partial<Settings> = Object.assign({}, ...own.map(({ data }) => data.changes));
  const before: Record<string, unknown> = {};
  const missing = new Set(Object.keys(after));
  for (const event of log.earlier(first.stream, first.position, ['SettingsChanged'])) {
    const changes: Readonly<Record<string, unknown>> = event.type === 'SettingsChanged' ? event.data.changes : {};
    for (const key of missing) {
      if (!Object.hasOwn(changes, key)) continue;
      before[key] = changes[key];
      missing.delete(key);
    }
    if (missing.size === 0) break;
  }
  for (const key of missing) before[key] = defaultSettings[key as SettingKey];
  return { before: before as Partial<Settings>, after };
}

function templateStep(
  log: Pick<LogSearch, 'earlier'>,
  events: readonly RecordedEvent[],
  builtIn: Template,
): PastCommand['template'] {
  const own = events.find((event) => event.type === 'CoreTemplateChanged');
  if (!own) return null;
  const [earlier] = log.earlier(own.stream, own.position, ['CoreTemplateChanged']);
  const former = earlier?.type === 'CoreTemplateChanged' ? earlier : null;
  return {
    before: former ? templateIn(former.data) : builtIn,
    after: templateIn(own.data),
    erased: former !== null && hasErased(log, [former]),
  };
}

const templateIn = ({
  template,
  outboundTestUrl,
}: {
  readonly template: object;
  readonly outboundTestUrl: string;
}) => ({
  template: template as JsonObject,
  outboundTestUrl,
});

/** The inbounds that a command deleted. */
export const inboundsDeletedBy = ({ inbounds }: PastCommand): readonly InboundId[] =>
  [...inbounds].flatMap(([id, { before, after }]) => (before && !after ? [id] : []));

/** The clients that a command deleted. */
export function deletedBy({ clients }: Pick<PastCommand, 'clients'>): readonly ClientNumber[] {
  return [...clients].flatMap(([number, { before, after }]) => (before && !after ? [number] : []));
}
