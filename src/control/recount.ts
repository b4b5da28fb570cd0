import { z } from 'zod';
import { asSystem, type Change } from '../commands/bus.js';
import { Rejection } from '../commands/rejection.js';
import { ClientNumber } from '../events/ids.js';
import type { Node } from '../events/node/node-document.js';
import { RecountRule } from '../events/traffic/traffic.js';
import { OperatorError } from '../lib/errors/operator-error.js';
import { JsonError, parseJson } from '../lib/parse-json.js';
import type { Days } from '../lib/time/days.js';
import { issue, issueOf } from '../messages/issue.js';
import { message, type Text } from '../messages/message.js';
import { MAX_RULES, recountRules } from '../projections/recount/rules.js';

/** Changes that one operation takes; a line of the control socket has room for them. */
export const MAX_CHANGES = 10_000;

const optionalText = z.string(issue('input.notString')).optional();
const RuleFile = z
  .array(
    z.strictObject({
      ...{ from: optionalText, to: optionalText, node: optionalText },
      ...{ moreThan: RecountRule.shape.moreThan, count: RecountRule.shape.count },
    }),
  )
  .min(1, issue('recount.noRule'))
  .max(MAX_RULES);

/** The rules in a file. Throws `OperatorError` that names the field. */
export function rulesInFile(
  text: string,
  nodes: readonly Pick<Node, 'id' | 'name'>[],
  days: Days,
): readonly RecountRule[] {
  const parsed = RuleFile.safeParse(jsonOf(text));
  if (!parsed.success) throw invalid(parsed.error.issues[0]?.path.join('.') ?? '', issueOf(parsed.error));
  const found = recountRules(parsed.data, nodes, days);
  if ('problem' in found) throw invalid(found.field, found.problem);
  return found.rules;
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
