import type { Access } from '../../../events/access/access-of.js';
import type { PermissionName, Resource } from '../../../lib/permissions.js';
import { JsonOf, JsonPages, type Route } from '../contract/route.js';
import { Message } from '../outcomes.js';

/**
 * Documents with secrets: credentials of clients, keys of inbounds and of the core template, addresses of webhooks. An admin
 * who can change a document must see them; one who can only read it must not.
 */
const CHANGES: Readonly<Partial<Record<Resource, PermissionName>>> = {
  clients: 'clients:extend',
  inbounds: 'inbounds:update',
  core: 'core:update',
  webhooks: 'webhooks:update',
};

/** Whether the secrets in what a resource has are hidden from a caller. */
export function hidesSecretsOf(resource: Resource, access: Pick<Access, 'scopeOf'>): boolean {
  const needed = CHANGES[resource];
  return needed !== undefined && access.scopeOf(needed) === null;
}

/** The same for the answer of a route that reads. Who adds a webhook gets its secret, even without the permission to change it. */
export function hidesSecrets({ permission }: Pick<Route, 'permission'>, access: Pick<Access, 'scopeOf'>): boolean {
  return permission?.action === 'read' && hidesSecretsOf(permission.resource, access);
}

/** In place of a secret. */
const HIDDEN = '***';

/** Members whose texts are secrets, as the core, 3x-ui and this panel name them. */
const SECRETS: ReadonlySet<string> = new Set([
  ...['password', 'pass', 'auth', 'uuid', 'privateKey', 'secretKey', 'preSharedKey', 'presharedKey', 'psk'],
  ...['key', 'seed', 'mldsa65Seed', 'echServerKeys', 'decryption', 'authorization', 'proxy-authorization'],
]);
/** Values of these members that only name a method: of SOCKS, and of VLESS without encryption. */
const METHODS: Readonly<Record<string, readonly string[]>> = { auth: ['noauth', 'password'], decryption: ['none'] };
/** Members of an account of VLESS or VMess, whose `id` is its credential. */
const ACCOUNT = ['email', 'encryption', 'flow', 'alterId'];
const LINK = /^(vless|vmess|trojan|ss|hysteria2?|hy2|socks5?|https?\+proxy|wireguard|wg):\/\//;

/** What a handler returns, without its secrets. Promises and prepared texts too; rejections and files have none. */
export function withoutSecrets(outcome: unknown, route: Pick<Route, 'permission'>): unknown {
  if (outcome instanceof Promise) return outcome.then((value: unknown) => withoutSecrets(value, route));
  const hide = (value: unknown): unknown => hidden(value, route.permission?.resource === 'webhooks');
  if (outcome instanceof Message) return new Message(outcome.text, hide(outcome.obj));
  if (outcome instanceof JsonOf) return JsonOf.from(hide(JSON.parse(outcome.text)));
  if (outcome instanceof JsonPages) return JsonOf.from(hide(JSON.parse(Buffer.concat(outcome.pieces).toString())));
  return hide(outcome);
}

function hidden(value: unknown, ofWebhook: boolean): unknown {
  if (typeof value === 'string') return hiddenText(value);
  if (Array.isArray(value))
    return value
      .filter((item) => typeof item !== 'string' || !LINK.test(item))
      .map((item: unknown) => hidden(item, ofWebhook));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const isAccount = ACCOUNT.some((name) => Object.hasOwn(value, name));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      // Subscription ids, and configurations of apps, whose formats have secrets in other forms.
      if (name === 'subId' || (name === 'text' && Object.hasOwn(value, 'format'))) return [name, ''];
      const isSecret =
        SECRETS.has(name) ||
        SECRETS.has(name.toLowerCase()) ||
        (name === 'id' && isAccount) ||
        (name === 'url' && ofWebhook);
      const isMethod = !isAccount && typeof member === 'string' && METHODS[name]?.includes(member);
      return [name, isSecret && isMethod !== true ? hiddenMember(member) : hidden(member, ofWebhook)];
    }),
  );
}

/** A secret is a text, or a key as lines. Other values of these members, such as an object, are searched as usual. */
function hiddenMember(member: unknown): unknown {
  if (typeof member === 'string') return member === '' ? member : HIDDEN;
  if (Array.isArray(member) && member.every((line) => typeof line === 'string'))
    return member.length > 0 ? [HIDDEN] : [];
  return hidden(member, false);
}

/** A text may be a share link, or JSON: 3x-ui has the settings of an inbound as a text. */
function hiddenText(text: string): string {
  if (LINK.test(text)) return HIDDEN;
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(hidden(value, false), null, text.includes('\n') ? 2 : 0);
  } catch {
    return text;
  }
}
