import { parse, tagsAt } from '../template';
import { type Token, tokensOf } from './json-scan';
import { namesAt, referenceAt, valuesAt } from './schema';

/** What can be written at a place, and where it begins. */
export interface Proposal {
  readonly from: number;
  readonly kind: Token['kind'];
  readonly options: readonly string[];
  /** Whether the second quote is missing. */
  readonly isOpen: boolean;
}

/** What fits between the quotes at a position; null outside of quotes, or where nothing is known. */
export function proposalAt(text: string, position: number): Proposal | null {
  const token = tokensOf(text).find(({ from, to }) => from <= position && position <= to);
  if (!token) return null;
  const options = token.kind === 'name' ? namesAt(token.path) : valuesOf(token, text);
  return options.length === 0 ? null : { from: token.from, kind: token.kind, options, isOpen: !token.isClosed };
}

/** Usual values, or tags of the same text. The text at hand may be broken, then there are no tags. */
function valuesOf({ path }: Token, text: string): readonly string[] {
  const reference = referenceAt(path);
  if (reference === null) return valuesAt(path);
  const template = parse(text);
  return template === null ? [] : tagsAt(template, reference.to);
}

/** Something in the text that is probably a mistake. */
export interface Hint {
  readonly from: number;
  readonly to: number;
  readonly written: string;
  /** What was probably meant; empty when it is the name of an outbound or balancer that does not exist. */
  readonly meant: string;
}

/** Names that are almost names of the core, and references to what does not exist. */
export function hintsOf(text: string): readonly Hint[] {
  const template = parse(text);
  return tokensOf(text).flatMap((token): readonly Hint[] => {
    const { from, to, kind, path, text: written } = token;
    if (written === '') return [];
    const reference = kind === 'value' ? referenceAt(path) : null;
    if (reference) {
      const isFound = template === null || tagsAt(template, reference.to).includes(written);
      return isFound || !reference.mustExist ? [] : [{ from, to, written, meant: '' }];
    }
    const known = kind === 'name' ? namesAt(path) : valuesAt(path);
    if (known.some((one) => one.toLowerCase() === written.toLowerCase())) return [];
    const meant = known.find((one) => isClose(one.toLowerCase(), written.toLowerCase()));
    return meant === undefined ? [] : [{ from, to, written, meant }];
  });
}

/** Shorter names differ by one letter on purpose. */
const LEAST_LENGTH = 5;

/** Whether one letter was added, left out or replaced, or two were exchanged. */
export function isClose(one: string, other: string): boolean {
  if (Math.min(one.length, other.length) < LEAST_LENGTH || Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (one[start] !== undefined && one[start] === other[start]) start += 1;
  const rest = (text: string, skipped: number): string => text.slice(start + skipped);
  return (
    rest(one, 1) === rest(other, 1) ||
    rest(one, 1) === rest(other, 0) ||
    rest(one, 0) === rest(other, 1) ||
    (one[start] === other[start + 1] && one[start + 1] === other[start] && rest(one, 2) === rest(other, 2))
  );
}
