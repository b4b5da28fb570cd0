import type { Node } from '../../events/node/node-document.js';
import type { RecountRule } from '../../events/traffic/traffic.js';
import { sameName } from '../../lib/identifiers.js';
import { type Days, dayNamed } from '../../lib/time/days.js';
import { message, type Text } from '../../messages/message.js';

/** The most rules of a recount. */
export const MAX_RULES = 100;
/** The name of this panel's own core as a node in a rule. */
const LOCAL_NODE = 'local';

/** A rule as people write it: days of the panel's time zone, such as 2026-03-31, both inclusive, and nodes by name. */
export interface WrittenRule extends Pick<RecountRule, 'moreThan' | 'count'> {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly node?: string | undefined;
}

/** What is wrong with a rule. `field`: its path, for example `0.from`. */
interface RuleProblem {
  readonly field: string;
  readonly problem: Text;
}

/** The rules with times and numbers of nodes, or the first problem. */
export function recountRules(
  written: readonly WrittenRule[],
  nodes: readonly Pick<Node, 'id' | 'name'>[],
  days: Days,
): { readonly rules: readonly RecountRule[] } | RuleProblem {
  const rules: RecountRule[] = [];
  for (const [index, { from, to, node, ...rest }] of written.entries()) {
    const first = from === undefined ? undefined : dayNamed(from);
    if (first === null) return { field: `${index}.from`, problem: message('recount.notDay') };
    const last = to === undefined ? undefined : dayNamed(to);
    if (last === null) return { field: `${index}.to`, problem: message('recount.notDay') };
    if (first !== undefined && last !== undefined && last < first)
      return { field: `${index}.to`, problem: message('recount.endsBefore', { from: from ?? '' }) };
    const named = node === undefined || node === LOCAL_NODE ? null : nodes.find(({ name }) => sameName(name, node));
    if (named === undefined)
      return { field: `${index}.node`, problem: message('recount.nodeUnknown', { node: node ?? '' }) };
    rules.push({
      ...rest,
      ...(first === undefined ? {} : { from: days.begin(first) }),
      ...(last === undefined ? {} : { to: days.begin(last + 1) }),
      ...(node === undefined ? {} : { node: named?.id ?? null }),
    });
  }
  return { rules };
}
