import { documentOf, erasedName, PERSONAL, sourcesOf } from './diff/documents.js';
import type { Noun } from './diff/moment-document.js';
import type { ReadModels } from './read-models.js';

type Read = Pick<ReadModels, 'clients' | 'inbounds' | 'nodes' | 'settings' | 'admins' | 'records'>;

/** What can be shown as it was at a moment. */
const NOUNS: readonly Noun[] = ['inbound', 'client', 'node', 'settings', 'core'];

/** What was erased of a document. */
export interface ErasedDocument {
  /** Stream of the document, such as `client-17`. */
  readonly stream: string;
  readonly noun: Noun;
  /** The fields that have placeholders, named as in a diff. */
  readonly fields: ReadonlySet<string>;
}

const known = new WeakMap<Read, readonly ErasedDocument[]>();

/**
 * The documents of an earlier moment whose personal data or secrets were erased since. An answer shows placeholders for
 * these. `among`: the nouns that the reader can see. The moment is forgotten when more is erased.
 */
export function erasedIn(read: Read, among: readonly Noun[] = NOUNS): readonly ErasedDocument[] {
  const documents = known.get(read) ?? [...find(read, among)];
  known.set(read, documents);
  return documents;
}

function* find(read: Read, among: readonly Noun[]): Iterable<ErasedDocument> {
  // There are many clients, so their documents are not made.
  for (const { number, identity } of read.clients.all())
    if (identity.email === erasedName(number)) yield { stream: `client-${number}`, noun: 'client', fields: PERSONAL };
  for (const noun of among) {
    if (noun === 'client') continue;
    for (const [, source] of sourcesOf(read, noun)) {
      const { stream, shown } = documentOf(noun, source);
      const { erased: fields } = shown();
      if (fields.size > 0) yield { stream, noun, fields };
    }
  }
}
