import type { Access } from '../../../events/access/access-of.js';
import { hidesSecretsOf } from '../../../events/access/secret-readers.js';
import { secretTest, withoutUserInfo } from '../../../lib/secrets/secret-members.js';
import { atOnce, inSlices, type Steps } from '../../../lib/time/slices.js';
import { JsonOf, JsonPages, type Route } from '../contract/route.js';
import { Message } from '../outcomes.js';

/**
 * Whether secrets are hidden in the answer of a route. Checks of the core configuration run something and answer with what is
 * stored. Who adds a webhook gets its secret, even without the permission to change it.
 */
export function hidesSecrets({ permission }: Pick<Route, 'permission'>, access: Pick<Access, 'scopeOf'>): boolean {
  if (permission === null || (permission.action !== 'read' && permission.action !== 'run')) return false;
  return hidesSecretsOf(permission.resource, access);
}

/** In place of a secret. */
const HIDDEN = '***';

const LINK = /^(vless|vmess|trojan|ss|hysteria2?|hy2|socks5?|https?\+proxy|wireguard|wg):\/\//;

/** What a handler returns, without its secrets. Promises and prepared texts too; rejections and files have none. */
export function withoutSecrets(outcome: unknown, route: Pick<Route, 'permission'>): unknown {
  if (outcome instanceof Promise) return outcome.then((value: unknown) => withoutSecrets(value, route));
  const hide = (value: unknown): unknown => atOnce(hidden(value, '', route.permission?.resource === 'webhooks'));
  if (outcome instanceof Message) return new Message(outcome.text, hide(outcome.obj));
  if (outcome instanceof JsonOf) return JsonOf.from(hide(JSON.parse(outcome.text)));
  if (outcome instanceof JsonPages) return inSlices(listWithoutSecrets(outcome));
  return hide(outcome);
}

/** A long list in pieces, with a turn of the event loop between its elements. */
function* listWithoutSecrets({ pieces }: JsonPages<unknown>): Steps<JsonPages<unknown>> {
  const list: unknown = JSON.parse(Buffer.concat(pieces).toString());
  yield;
  if (!Array.isArray(list)) return new JsonPages([Buffer.from(JSON.stringify(yield* hidden(list, '', false)))]);
  const shown = [Buffer.from('[')];
  for (const [index, element] of list.entries()) {
    const text = JSON.stringify(yield* hidden(element, '', false));
    shown.push(Buffer.from(index === 0 ? text : `,${text}`));
    yield;
  }
  return new JsonPages([...shown, Buffer.from(']')]);
}

/** `as`: the name of the member that has the value. */
function* hidden(value: unknown, as: string, ofWebhook: boolean): Steps<unknown> {
  if (typeof value === 'string') return yield* hiddenText(value, as);
  if (Array.isArray(value)) {
    const kept: unknown[] = [];
    for (const item of value) {
      if (typeof item === 'string' && LINK.test(item)) continue;
      kept.push(yield* hidden(item, as, ofWebhook));
    }
    return kept;
  }
  if (!isPlain(value)) return value;
  const isSecret = secretTest(value, as);
  const shown: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (isSecret(name, member) || (ofWebhook && name === 'url')) shown.push([name, yield* hiddenMember(member, name)]);
    // Subscription ids, and configurations of apps, whose formats have secrets in other forms.
    else if (name === 'subId' || (name === 'text' && Object.hasOwn(value, 'format'))) shown.push([name, '']);
    else shown.push([name, yield* hidden(member, name, ofWebhook)]);
  }
  yield;
  return Object.fromEntries(shown);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A secret is a text, or a key as lines. Other values of these members, such as an object, are searched as usual. */
function* hiddenMember(member: unknown, name: string): Steps<unknown> {
  if (typeof member === 'string') return member === '' ? member : HIDDEN;
  if (Array.isArray(member) && member.every((line) => typeof line === 'string'))
    return member.length > 0 ? [HIDDEN] : [];
  return yield* hidden(member, name, false);
}

/** A text may be a share link, or JSON: 3x-ui has the settings of an inbound as a text. */
function* hiddenText(text: string, as: string): Steps<string> {
  if (LINK.test(text)) return HIDDEN;
  const value = /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  // A remark may begin with a bracket.
  if (value === undefined) return withoutUserInfo(text, HIDDEN);
  return JSON.stringify(yield* hidden(value, as, false), null, text.includes('\n') ? 2 : 0);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
