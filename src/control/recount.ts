import { z } from 'zod';
import { asSystem, type Change } from '../commands/bus.js';
import { Rejection } from '../commands/rejection.js';
import { ClientNumber } from '../events/ids.js';
import type { Node } from '../events/node/node-document.js';
import { RecountRule } from '../events/traffic/traffic.js';
import { OperatorError } from '../lib/errors/operator-error.js';
import { sameName } from '../lib/identifiers.js';
import { JsonError, parseJson } from '../lib/parse-json.js';
import { type Days, dayNamed } from '../lib/time/days.js';
import { issue, issueOf } from '../messages/issue.js';
import { message, type Text } from '../messages/message.js';

const MAX_RULES = 100;
/** Changes that one operation takes; a line of the control socket has room for them. */
export const MAX_CHANGES = 10_000;

const day = z
  .string(issue('input.notString'))
  .transform((text) => dayNamed(text) ?? -1)
  .refine((number) => number >= 0, issue('recount.notDay'));

/** A rule as an operator writes it: days of the panel's time zone, both inclusive, and nodes by name. */
const FileRule = z.strictObject({
  from: day.optional(),
  to: day.optional(),
  node: z.string(issue('input.notString')).optional(),
  moreThan: RecountRule.shape.moreThan,
  count: RecountRule.shape.count,
});
const RuleFile = z.array(FileRule).min(1, issue('recount.noRule')).max(MAX_RULES);

/** The name of this panel's own core as a node in a rule. */
const LOCAL = 'local';

/** The rules in a file. Throws `OperatorError` that names the field. */
export function recountRules(text: string, nodes: readonly Pick<Node, 'id' | 'name'>[], days: Days): RecountRule[] {
  const parsed = RuleFile.safeParse(jsonOf(text));
  if (!parsed.success) throw invalid(parsed.error.issues[0]?.path.join('.') ?? '', issueOf(parsed.error));
  return parsed.data.map(({ from, to, node, ...rest }, index) => ({
    ...rest,
    ...(from === undefined ? {} : { from: days.begin(from) }),
    ...(to === undefined ? {} : { to: days.begin(to + 1) }),
    ...(node === undefined ? {} : { node: node === LOCAL ? null : nodeNamed(node, index) }),
  }));

  function nodeNamed(name: string, index: number): Node['id'] {
    const known = nodes.find((node) => sameName(node.name, name));
    if (!known) throw invalid(`${index}.node`, message('recount.nodeUnknown', { node: name }));
    return known.id;
  }
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw new OperatorError(message('recount.notJson', { why: error.text }));
    throw error;
  }
}

const invalid = (field: string, problem: Text): OperatorError =>
  new OperatorError(message('cli.operationInvalid', { field: field || 'rules', problem }));

const Counter = z.strictObject({ up: z.int().nonnegative(), down: z.int().nonnegative() });

/** What `traffic.recount` takes. */
export const RecountRequest = z.strictObject({
  rules: z.array(RecountRule).min(1).max(MAX_RULES),
  position: z.int().nonnegative(),
  changes: z
    .array(z.strictObject({ client: ClientNumber, counted: Counter, recounted: Counter }))
    .min(1)
    .max(MAX_CHANGES),
});

/** What a recount changed. */
export interface RecountDone {
  /** Number of emails with other counters. */
  readonly adjusted: number;
  /** Number of clients that reached their caps, and of those that may connect again. */
  readonly depleted: number;
  readonly reactivated: number;
}

/** Applies a recount in one append. Throws `OperatorError`. */
export async function applyRecount(data: z.infer<typeof RecountRequest>, change: Change): Promise<RecountDone> {
  const done = await change(() => ({ type: 'RecountTraffic', data }), asSystem('cli'));
  if (done instanceof Rejection) throw new OperatorError(done.text);
  const count = (type: string): number => done.events.filter((event) => event.type === type).length;
  const recounted = done.events.find((event) => event.type === 'TrafficRecounted');
  const adjusted = recounted?.type === 'TrafficRecounted' ? recounted.data.clients : 0;
  return { adjusted, depleted: count('ClientDepleted'), reactivated: count('ClientReactivated') };
}
