import { isObject, type Json, type JsonObject } from '../../../lib/json.js';
import { networkOfKey } from '../../../lib/net/address-key.js';
import { message } from '../../../messages/message.js';
import type { CoreApi } from '../control/grpc.js';
import { decode, encode, type TypedMessage } from '../control/messages.js';
import { apiTag, blockOutbound, metricsTag, spelled } from './names.js';
import { ruleUsers } from './rule-users.js';
import { members, refused } from './template.js';

/** `rule#3.7`: the eighth rule of the template, sent for the fourth time. */
const numbered = /#(\d+)\.(\d+)$/;
const blockRule = (inbound: string, client: number | ''): string => `cut>>>${inbound}>>>${client}`;

/**
 * The template's routing; each rule gets a tag, so that it can be removed. `names`: whether users are converted to account
 * names, or stay emails.
 */
export function routingOf(value: Json | undefined, names: 'core' | 'people' = 'core'): JsonObject {
  const { rules = [], ...others } = members(value);
  if (!Array.isArray(rules)) throw refused(message('core.rulesListExpected'));
  const kept = (rules as readonly Json[]).filter(isObject).filter((rule) => {
    const { outboundtag } = members(rule as JsonObject);
    // Other panels route to the core's api and metrics; this panel has its own connection to them.
    return outboundtag !== apiTag && outboundtag !== metricsTag;
  });
  return {
    ...withSpelling(others),
    rules: kept.map((rule, index) => {
      const { ruletag, user, ...rest } = members(rule as JsonObject);
      const users = user === undefined ? {} : { user: names === 'core' ? ruleUsers(user) : user };
      // ">>>" is reserved for the tags of block rules.
      const name = typeof ruletag === 'string' ? ruletag.replaceAll('>>>', '') : 'rule';
      return { ...withSpelling(rest), ...users, ruleTag: `${name}#0.${index}` };
    }),
  };
}

function withSpelling(folded: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries(folded).map(([name, member]) => [spelled(name), member]));
}

/** The rules of a configuration that `xray convert pb` wrote, as bytes. */
export function rulesOf(config: { readonly app: readonly TypedMessage[] }): readonly Buffer[] {
  const router = config.app.find(({ type }) => type === 'xray.app.router.Config');
  return router === undefined ? [] : decode<{ rule: readonly Buffer[] }>(router.type, router.value).rule;
}

/** A routing rule that sends requests to a blackhole. */
interface BlockRule {
  /** By which the rule is found and removed. */
  readonly ruleTag: string;
  readonly inbound: string;
  /** Its number. */
  readonly client: number;
  /** In the form of `addressKey`; none = all addresses of the client. */
  readonly addresses: readonly string[];
}

/** The last change of the rules of each core. A change takes several calls, so changes run one at a time. */
const turns = new WeakMap<CoreApi, Promise<void>>();

/** Runs changes one after the other for each core. */
export function serialized(api: CoreApi, change: () => Promise<void>): Promise<void> {
  const turn = (turns.get(api) ?? Promise.resolve()).then(change);
  turns.set(
    api,
    turn.catch(() => undefined),
  );
  return turn;
}

/** Blocks these clients on this inbound. */
export function blockUsers(
  api: CoreApi,
  inbound: string,
  clients: readonly number[],
  templateRules: () => Promise<readonly Buffer[]>,
): Promise<void> {
  const refusals = clients.map((client) => ({
    ruleTag: blockRule(inbound, client),
    inbound,
    client,
    addresses: [],
  }));
  return serialized(api, async () => prependRules(api, await ruleTags(api), refusals, templateRules));
}

export async function ruleTags(api: CoreApi): Promise<readonly string[]> {
  return (await api.call('RoutingService/ListRule', {})).rules.map(({ ruleTag }) => ruleTag);
}

/**
 * Adds the block rules that are missing. The API can only append rules, and replacing all rules leaves moments without any
 * rule. So the template's rules are sent again after the new ones, and then the old ones are removed, last first: the first
 * match is right at every moment.
 */
export async function prependRules(
  api: CoreApi,
  running: readonly string[],
  refusals: readonly BlockRule[],
  templateRules: () => Promise<readonly Buffer[]>,
): Promise<void> {
  const existing = new Set(running);
  const missing = refusals.filter(({ ruleTag }) => !existing.has(ruleTag));
  if (missing.length === 0) return;
  const old = running.filter((tag) => numbered.test(tag));
  const generation = 1 + Math.max(-1, ...old.map((tag) => Number(numbered.exec(tag)?.[1])));
  const cuts = missing.map(({ ruleTag, inbound, client, addresses }) =>
    encode('xray.app.router.RoutingRule', {
      tag: blockOutbound,
      // Matches any email of the client: connections from before a rename continue under the previous name.
      user_email: [`regexp:^${client}:`],
      inbound_tag: [inbound],
      source_ip: addresses.map((key) => ({ custom: { cidr: networkOfKey(key) } })),
      rule_tag: ruleTag,
    }),
  );
  const again = old.length === 0 ? [] : (await templateRules()).map((rule, index) => retagged(rule, generation, index));
  await api.call('RoutingService/AddRule', {
    config: { type: 'xray.app.router.Config', value: encode('xray.app.router.Config', { rule: [...cuts, ...again] }) },
    shouldAppend: true,
  });
  for (const ruleTag of old.reverse()) await api.call('RoutingService/RemoveRule', { ruleTag });
}

/** Idempotent. */
export async function unblockUser(api: CoreApi, inbound: string, client: number): Promise<void> {
  await api.call('RoutingService/RemoveRule', { ruleTag: blockRule(inbound, client) });
}

/** Removes all block rules of an inbound, when the inbound is removed with its connections. */
export async function unblockAll(api: CoreApi, inbound: string): Promise<void> {
  const { rules } = await api.call('RoutingService/ListRule', {});
  for (const { ruleTag } of rules) {
    if (ruleTag.startsWith(blockRule(inbound, ''))) await api.call('RoutingService/RemoveRule', { ruleTag });
  }
}

/** A later field of the same number wins, so appending a tag replaces the rule's own. */
function retagged(rule: Buffer, generation: number, index: number): Buffer {
  const tag = decode<{ rule_tag: string }>('xray.app.router.RoutingRule', rule).rule_tag;
  const rule_tag = tag.replace(numbered, `#${generation}.${index}`);
  return Buffer.concat([rule, encode('xray.app.router.RoutingRule', { rule_tag })]);
}
