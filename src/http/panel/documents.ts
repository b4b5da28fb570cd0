import { type Rejection, reject } from '../../commands/rejection.js';
import { eventType } from '../../events/catalog.js';
import { memberIn } from '../../events/client/members.js';
import type { EventHeader, LogSearch } from '../../events/log/log-search.js';
import { codeOf, type Text } from '../../messages/message.js';
import { changesOf } from '../../projections/audit/changes.js';
import { actorText } from '../../projections/why/history.js';
import { inboundForm } from './codec/inbound-form.js';
import type { Needs } from './context.js';
import { type DocumentOf, LIST_NOUNS, type ListNoun } from './contract/documents.js';
import type { Wanted } from './handling.js';
import type { LimitedView } from './limited-view.js';

/** A version that a caller expects a document to have. */
export interface Expected {
  /** As the caller wrote it, without quotes. */
  readonly tag: string;
  /** The stream of the events of the document. */
  readonly name: string;
  /** The newest event when the version was read. */
  readonly position: number;
  readonly content: string;
}

const TAG =
  /^(inbound-\d{1,9}|client-\d{1,9}|node-\d{1,9}|settings|core|admins|roles|tokens|webhooks|holds|geo)@(\d{1,15})-([0-9a-f]{20})$/;
const CONTENT_CHARS = 20;
/** Events of a document that are compared with an expected version, and changes in the answer. */
const MAX_EVENTS = 500;
const EVENTS_AT_ONCE = 20;
const MAX_CHANGES = 50;
const MAX_VALUE = 100;

/** What a caller can read of the documents, and of their history. */
export interface Documents extends Needs<'read' | 'audit' | 'versions'> {
  /** Null = everything. */
  readonly limits: LimitedView | null;
}

/** The versions that a request expects, or why it names them wrongly. */
export function expectedOf(wanted: Wanted, read: Documents['read']): readonly Expected[] | Rejection {
  const { header, members, changes } = wanted;
  const given = [header === undefined ? [] : header.split(','), members.filter((one) => one !== undefined).map(String)];
  const texts = given.flat().map((text) => text.trim());
  const all = texts.filter((text) => text !== '*').map((text) => ({ text, expected: readTag(text) }));
  // Of several tags in a list, those of another program match nothing.
  const wrong = all.find(({ text, expected }) => expected === null && (text === '' || all.length === 1));
  const tags = all.flatMap(({ expected }) => expected ?? []);
  if (wrong || (all.length > 0 && tags.length === 0))
    return reject('VERSION_INVALID', { value: (wrong ?? all[0])?.text.slice(0, MAX_VALUE) ?? '' });
  const [first] = tags;
  if (first && !tags.some(({ name }) => changes(name) && !isOfAnother(read, wanted, name)))
    return reject('VERSION_ELSEWHERE', { document: first.name });
  return tags;
}

/** Whether a request names the client or the inbound that it changes, and a document belongs to another one. */
function isOfAnother({ clients }: Documents['read'], { params, body }: Pick<Wanted, 'params' | 'body'>, name: string) {
  const [noun, digits] = name.split('-');
  const number = Number(digits);
  const sent = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  if (noun === 'inbound')
    return params['id'] === undefined && Number(sent['id'] ?? 0) > 0 && Number(sent['id']) !== number;
  // The version of a client that was deleted is stale.
  const client = noun === 'client' ? clients.get(number) : undefined;
  if (!client) return false;
  const all = clients.siblings(client);
  const { email, clientId: key } = params;
  if (email !== undefined) return client.identity.email !== email;
  if (key !== undefined)
    return !all.some(({ identity, credential: { id, password, auth } }) =>
      [id, password, auth, identity.email].includes(String(key)),
    );
  const { clients: numbers } = sent;
  return Array.isArray(numbers) && !all.some((one) => numbers.map(Number).includes(one.number));
}

/** Whether a text is a version of a document. */
export const isVersion = (text: unknown): boolean => typeof text === 'string' && readTag(text) !== null;

function readTag(text: string): Expected | null {
  const tag = text.trim().replace(/^(?:W\/)?"(.*)"$/, '$1');
  const [, name, position, content] = TAG.exec(tag) ?? [];
  return name === undefined || content === undefined ? null : { tag, name, position: Number(position), content };
}

/**
 * The rejection of a request one of whose documents has changed since; null if all are as expected. Several versions of one
 * document mean any of them.
 */
export function staleness(
  documents: Documents,
  expected: readonly Expected[],
  say: (text: Text) => string,
): Rejection | null {
  for (const one of expected) {
    const current = contentOf(documents, one.name);
    const content = current === null ? '' : hashOf(documents, one.name, current);
    if (expected.some((other) => other.name === one.name && other.content === content)) continue;
    return reject('VERSION_STALE', {
      document: one.name,
      stale: {
        expected: one.tag,
        current: current === null ? null : tagOf(documents, one.name, current),
        changes: current === null && documents.limits ? [] : changesSince(documents, one, say),
      },
    });
  }
  return null;
}

/** The `ETag` of a document, or null if it does not exist. */
export function versionTag(
  documents: Documents,
  document: DocumentOf,
  params: Readonly<Record<string, unknown>>,
): string | null {
  const name = nameOf(documents.read, document, params);
  const content = name === null ? null : contentOf(documents, name);
  return name === null || content === null ? null : `"${tagOf(documents, name, content)}"`;
}

const tagOf = (documents: Documents, name: string, content: object): string =>
  `${name}@${placeOf(documents, name)}-${hashOf(documents, name, content)}`;

/** What changes the content of a client. */
const CONTENT = ['ClientAdded', 'ClientUpdated', 'ClientIdentityChanged', 'ClientCredentialRotated'] as const;

/** The newest event; for a caller who must not count the events of others, the newest one of the document, hidden. */
function placeOf({ audit: { log }, limits }: Documents, name: string): number {
  if (limits === null) return log.head().position;
  const [newest] = log.earlier(name, Number.MAX_SAFE_INTEGER, CONTENT);
  return limits.hide(newest?.position ?? 0);
}

/** The content has secrets that the caller may not see. */
const hashOf = ({ versions }: Documents, name: string, content: object): string =>
  versions.of(name, content).slice(0, CONTENT_CHARS);

function nameOf(
  read: Documents['read'],
  document: DocumentOf,
  params: Readonly<Record<string, unknown>>,
): string | null {
  if (!('param' in document)) return document.noun;
  const value = params[document.param];
  if (document.noun !== 'client') return `${document.noun}-${Number(value)}`;
  const client = read.clients.firstByEmail(String(value));
  return client ? `client-${client.number}` : null;
}

/** What an admin can change of a document; null if it does not exist. Counters and states that follow from them are left out. */
function contentOf({ read, limits, versions }: Omit<Documents, 'audit'>, name: string): object | null {
  // The other documents contain more than such a caller may know.
  if (limits !== null && !name.startsWith('client-')) return null;
  if (name === 'settings') return { settings: read.settings.current(), secrets: read.settings.secrets() };
  if (name === 'core') return { template: read.settings.template() };
  const list = LIST_NOUNS.find((noun) => noun === name);
  if (list) return { list: listOf(read, list) };
  const [noun, digits] = name.split('-');
  const number = Number(digits);
  if (noun === 'inbound') {
    const inbound = read.inbounds.get(number);
    return inbound ? inboundForm(read, versions, inbound) : null;
  }
  if (noun === 'node') {
    const node = read.nodes.get(number);
    if (!node) return null;
    const { identity: _, updatedAt: __, ...content } = node;
    return content;
  }
  const client = read.clients.get(number);
  if (!client) return null;
  const siblings = read.clients.siblings(client);
  return siblings.map(({ inbound, spec, identity, credential }) => ({ inbound, spec, identity, credential }));
}

/** What admins can change of a list of documents, without what the panel observes. */
function listOf(read: Documents['read'], noun: ListNoun): readonly unknown[] {
  const { admins, roles, tokens } = read.admins.access();
  switch (noun) {
    case 'admins':
      return [...read.admins.users().users.values()].map(({ id, username }) => ({
        id,
        username,
        access: admins.get(id) ?? null,
      }));
    case 'roles':
      return [...roles];
    case 'tokens':
      return [...tokens.values()].map((token) => ({ ...token, used: null }));
    case 'webhooks':
      return [...read.records.webhooks().byId.values()].map((webhook) => ({ ...webhook, deadLetters: [] }));
    case 'holds':
      return [...read.records.legalHolds().values()];
    case 'geo':
      return [...read.records.geoSources().values()].map(({ id, type, alias, url }) => ({ id, type, alias, url }));
  }
}

/** The newest events of a stream after a position, from at most `MAX_EVENTS` rows. */
function* newestOf(log: LogSearch, stream: string, position: number): Generator<EventHeader> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let read = 0; read < MAX_EVENTS && before > position + 1; read += EVENTS_AT_ONCE) {
    const { headers, next } = log.ofStream(stream, before, EVENTS_AT_ONCE);
    yield* headers.filter((header) => header.position > position);
    before = next;
  }
}

function changesSince(
  { audit: { log }, limits }: Documents,
  { name, position }: Expected,
  say: (text: Text) => string,
): object[] {
  const changes: object[] = [];
  const since = limits?.positions.reveal(position) ?? position;
  for (const header of newestOf(log, name, since)) {
    if (changes.length >= MAX_CHANGES) break;
    const stored = eventType(header.type)?.class === 'kept' ? log.event(header.position) : undefined;
    if (!stored) continue;
    const event = memberIn(stored, name) ?? stored;
    const { type } = header;
    const { meta } = limits?.concealed(event) ?? event;
    const by = actorText(meta.actor.ip === null ? meta : { ...meta, actor: { ...meta.actor, ip: null } });
    const made = {
      position: limits?.hide(header.position) ?? header.position,
      at: meta.at,
      type,
      by: say(by),
      byCode: codeOf(by),
    };
    changes.push(...changesOf(log, event).map((change) => ({ ...made, ...change })));
  }
  return changes.slice(0, MAX_CHANGES);
}
