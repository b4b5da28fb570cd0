import { parse, tagsAt } from '../template';
import { type Token, tokensOf } from './json-scan';
import { type Schema, schemaAt } from './schema';

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
  const found = token && schemaAt(token.path);
  if (!token || !found) return null;
  const options = token.kind === 'name' ? Object.keys(found.members ?? {}) : valuesOf(found, text);
  return options.length === 0 ? null : { from: token.from, kind: token.kind, options, isOpen: !token.isClosed };
}

/** Values of a list, or tags of the same text. The text at hand may be broken, then there are no tags. */
function valuesOf({ values = [], tagOf }: Schema, text: string): readonly string[] {
  const template = tagOf === undefined ? null : parse(text);
  return tagOf === undefined || template === null ? values : tagsAt(template, tagOf);
}

/** Something in the text that is probably a mistake. */
export interface Hint {
  readonly from: number;
  readonly to: number;
  readonly written: string;
  /** What was probably meant; empty when it is the name of an outbound or balancer that does not exist. */
  readonly meant: string;
}

/** Members whose reference must exist; a selector of a balancer is the beginning of a name. */
const REFERENCES: ReadonlySet<string> = new Set(['outboundTag', 'balancerTag', 'dialerProxy', 'fallbackTag']);

/** Names that are almost names of the core, and references to what does not exist. */
export function hintsOf(text: string): readonly Hint[] {
  const template = parse(text);
  return tokensOf(text).flatMap((token): readonly Hint[] => {
    const found = schemaAt(token.path);
    const { from, to, text: written } = token;
    if (!found || written === '') return [];
    if (token.kind === 'value' && found.tagOf !== undefined) {
      if (!REFERENCES.has(token.path.at(-1) ?? '') || template === null) return [];
      return tagsAt(template, found.tagOf).includes(written) ? [] : [{ from, to, written, meant: '' }];
    }
    const known = token.kind === 'name' ? Object.keys(found.members ?? {}) : (found.values ?? []);
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
