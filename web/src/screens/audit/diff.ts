import type { Gets } from '../../api/contract.generated';

export type Diff = Gets['/panel/api/audit/diff']['reply'];
export type DiffDocument = Diff['documents'][number];
export type Noun = DiffDocument['noun'];

/** What is compared, in the order of the answer. */
export const NOUNS: readonly Noun[] = [
  ...(['inbound', 'client', 'node', 'settings', 'core'] as const),
  ...(['role', 'admin', 'token', 'webhook', 'hold', 'geoSource'] as const),
];

/** Of a document that was added or removed, only the values that say something are shown. */
const EMPTY: readonly unknown[] = [undefined, null, '', 0, false];

/** The fields of a document that are worth showing. */
export const shownFields = ({ change, fields }: DiffDocument): DiffDocument['fields'] =>
  change === 'changed'
    ? fields
    : fields.filter(({ before, after, secret, erased }) => erased || (!secret && !EMPTY.includes(after ?? before)));
