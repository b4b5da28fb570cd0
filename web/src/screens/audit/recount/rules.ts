import type { WrittenRecountRule } from '../../../api/contract.generated';
import { isDate } from '../../../model/calendar';

/** What a rule does: it leaves out a node, counts a period differently, or ignores jumps of a counter. */
export const KINDS = ['node', 'period', 'jump'] as const;
export type RuleKind = (typeof KINDS)[number];

/** The core of this panel, as a rule names it. */
export const LOCAL = 'local';

/** A rule as the form has it; empty = not given. */
export interface RuleDraft {
  readonly id: number;
  readonly kind: RuleKind;
  /** Days such as 2026-03-31, both inclusive. */
  readonly from: string;
  readonly to: string;
  readonly node: string;
  readonly factor: string;
  /** In GB. */
  readonly size: string;
}

export type RuleField = 'node' | 'from' | 'to' | 'factor' | 'size';

const GB = 1024 ** 3;
const MAX_FACTOR = 100;

export const emptyRule = (id: number, kind: RuleKind): RuleDraft => ({
  ...{ id, kind, from: '', to: '', node: '', factor: '', size: '' },
});

/** A number as it is typed, with a decimal point or comma; NaN when it is none. */
const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text.trim().replace(',', '.')));

/** The field that must be corrected first; null when the rule is complete. */
export function wrongField({ kind, from, to, node, factor, size }: RuleDraft): RuleField | null {
  if (kind === 'node' && node === '') return 'node';
  const number = numberOf(factor);
  if (kind === 'period' && !(number >= 0 && number <= MAX_FACTOR)) return 'factor';
  if (kind === 'jump' && !(numberOf(size) > 0)) return 'size';
  if (from !== '' && !isDate(from)) return 'from';
  return to !== '' && (!isDate(to) || (from !== '' && to < from)) ? 'to' : null;
}

/** The rule as the API takes it. */
export function writtenOf({ kind, from, to, node, factor, size }: RuleDraft): WrittenRecountRule {
  return {
    ...(from === '' ? {} : { from }),
    ...(to === '' ? {} : { to }),
    ...(node === '' ? {} : { node }),
    ...(kind === 'jump' ? { moreThan: Math.round(numberOf(size) * GB) } : {}),
    count: kind === 'period' ? numberOf(factor) : 0,
  };
}

/** The rules of a JSON text; null when it is not a list of objects. The panel checks the rest. */
export function rulesIn(text: string): readonly WrittenRecountRule[] | null {
  try {
    const value: unknown = JSON.parse(text);
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null);
    return isList ? (value as readonly WrittenRecountRule[]) : null;
  } catch {
    return null;
  }
}

/** The rules as the form has them; null when it has no fields for one of them. */
export function draftsOf(rules: readonly WrittenRecountRule[]): readonly RuleDraft[] | null {
  const drafts = rules.map((rule, index) => draftOf(rule, index));
  return drafts.every((draft) => draft !== null) ? drafts : null;
}

function draftOf({ from = '', to = '', node = '', moreThan, count }: WrittenRecountRule, id: number): RuleDraft | null {
  const shared = { ...emptyRule(id, 'period'), from, to, node };
  if (moreThan !== undefined) return count === 0 ? { ...shared, kind: 'jump', size: String(moreThan / GB) } : null;
  if (count === 0 && node !== '') return { ...shared, kind: 'node' };
  return { ...shared, factor: String(count) };
}
