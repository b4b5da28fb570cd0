import { documentOf, erasedName, sourcesOf } from './diff/documents.js';
import type { Noun } from './diff/moment-document.js';
import type { ReadModels } from './read-models.js';

type Read = Pick<ReadModels, 'clients' | 'inbounds' | 'nodes' | 'settings' | 'admins' | 'records'>;

/** What can be shown as it was at a moment. */
const NOUNS: readonly Noun[] = ['inbound', 'client', 'node', 'settings', 'core'];

const known = new WeakMap<Read, readonly string[]>();

/**
 * The documents of an earlier moment whose personal data or secrets were erased since, by their streams, such as `client-17`.
 * An answer shows placeholders for these. `among`: the nouns that the reader can see. The moment is forgotten when more is erased.
 */
export function erasedIn(read: Read, among: readonly Noun[] = NOUNS): readonly string[] {
  const names = known.get(read) ?? [...find(read, among)];
  known.set(read, names);
  return names;
}

function* find(read: Read, among: readonly Noun[]): Iterable<string> {
  // There are many clients, so their documents are not made.
  for (const { number, identity } of read.clients.all())
    if (identity.email === erasedName(number)) yield `client-${number}`;
  for (const noun of among) {
    if (noun === 'client') continue;
    for (const [, source] of sourcesOf(read, noun)) {
      const { stream, shown } = documentOf(noun, source);
      if (shown().erased.size > 0) yield stream;
    }
  }
}
