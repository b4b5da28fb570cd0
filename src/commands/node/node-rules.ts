import type { NodeId } from '../../events/ids.js';
import type { NodeSpec } from '../../events/node/node.js';
import { destination, type Node } from '../../events/node/node-document.js';
import { composed, hiddenIn } from '../../lib/identifiers.js';
import { isText, message, type Text } from '../../messages/message.js';
import { HALF } from '../client/credentials.js';
import { type Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';

/** A node as a caller describes it, in any spelling. */
export type NodeDraft = Omit<NodeSpec, 'scheme'> & { readonly scheme: string };

const MAX_NAME_CHARS = 100;
const MAX_REMARK_CHARS = 1000;
const MAX_PATH_CHARS = 500;
/** Visible ASCII, which an HTTP header can carry. */
const TOKEN = /^[\x21-\x7e]{0,4096}$/;
/** Control and format characters, except the joiners, which Persian words and emoji contain. */
const HIDDEN = /[\p{Cc}\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/u;
const PATH = /^[A-Za-z0-9._~!$&'()*+,;=:@-]+$/;

/** The description in its canonical spelling, or a rejection. */
export function validSpec(draft: NodeDraft): NodeSpec | Rejection {
  const spec = readSpec(draft);
  return isText(spec) ? reject('NODE_INVALID', { why: spec }) : spec;
}

/**
 * The description in its canonical spelling, or what is wrong with it. Idempotent. Whether the address is private is checked
 * elsewhere, because that needs a DNS lookup.
 */
export function readSpec(draft: NodeDraft): NodeSpec | Text {
  const { remark, port, allowPrivateAddress } = draft;
  const name = composed(draft.name.trim());
  const host = canonicalHost(draft.host);
  const basePath = canonicalPath(draft.basePath);
  const scheme = draft.scheme.trim().toLowerCase() || 'https';
  const problem = nameProblem(name) ?? remarkProblem(remark);
  if (problem !== null) return problem;
  if (scheme !== 'http' && scheme !== 'https') return message('node.schemeInvalid', { scheme: clipped(scheme) });
  if (draft.host.trim() === '') return message('node.addressRequired');
  if (host === null) return message('node.hostInvalid', { host: clipped(draft.host) });
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return message('node.portInvalid');
  if (basePath === null) return message('node.basePathInvalid', { path: clipped(draft.basePath) });
  return { name, remark, scheme, host, port, basePath, allowPrivateAddress };
}

/** Rejects a token that cannot be sent in an HTTP header. */
export function tokenError(token: string): Rejection | null {
  if (TOKEN.test(token)) return null;
  return reject('NODE_INVALID', { why: message('node.tokenInvalid') });
}

/** Rejects a name that another node has, in any case. */
export function nameTaken({ nodes }: PanelState, name: string, self?: NodeId): Rejection | null {
  const wanted = composed(name.toLowerCase());
  for (const node of nodes.values())
    if (node.id !== self && composed(node.name.toLowerCase()) === wanted) return reject('NODE_NAME_TAKEN', { name });
  return null;
}

/** Whether requests to both go to the same place. */
export function sameDestination(a: NodeSpec, b: NodeSpec): boolean {
  return destination.every((member) => a[member] === b[member]);
}

/** Whether these changes redirect requests, or allow an address that was blocked. */
export function changesDestination(changes: { readonly [K in keyof NodeSpec]?: NodeSpec[K] | undefined }): boolean {
  return [...destination, 'allowPrivateAddress' as const].some((member) => changes[member] !== undefined);
}

/** Whether a reply to `a` is valid for `b`: both have the same address and token. */
export function sameAddress(a: Node, b: Node): boolean {
  return sameDestination(a, b) && a.keyVersion === b.keyVersion && a.allowPrivateAddress === b.allowPrivateAddress;
}

/** Another node with this panel id that had it first. */
export function duplicateOf(nodes: Iterable<Node>, { id, identity }: Node, panelId: string): Node | undefined {
  if (panelId === '') return undefined;
  for (const other of nodes)
    if (other.id !== id && other.identity?.panelId === panelId && (identity?.panelId !== panelId || other.id < id))
      return other;
  return undefined;
}

/** The host as the URL parser spells it, which is the same for every notation; without brackets. Null = it is invalid. */
function canonicalHost(text: string): string | null {
  const bare = text.trim().replace(/^\[(.*)\]$/, '$1');
  if (bare === '' || bare.length > 255 || /[\s\p{Cc}\p{Cf}/?#@\\]/u.test(bare)) return null;
  const url = `http://${bare.includes(':') ? `[${bare}]` : bare}/`;
  if (!URL.canParse(url)) return null;
  const { hostname, port, pathname } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return host === '' || port !== '' || pathname !== '/' ? null : host;
}

/** Begins and ends with one slash. Null = it is invalid. */
function canonicalPath(text: string): string | null {
  const parts = text
    .trim()
    .split('/')
    .filter((part) => part !== '');
  const isValid = text.length <= MAX_PATH_CHARS && parts.every((part) => PATH.test(part) && !/^\.{1,2}$/.test(part));
  if (!isValid) return null;
  return parts.length === 0 ? '/' : `/${parts.join('/')}/`;
}

function nameProblem(name: string): Text | null {
  if (name === '') return message('node.nameRequired');
  if (name.length > MAX_NAME_CHARS) return message('node.nameTooLong', { max: MAX_NAME_CHARS });
  if (HALF.test(name)) return message('node.nameNotUnicode');
  // Persian words and emoji contain joiners.
  const hidden = hiddenIn(name.replaceAll(/\u200c|\u200d|\ufe0f/g, ''));
  return hidden === null ? null : message('node.nameHidden', { code: hidden });
}

function remarkProblem(remark: string): Text | null {
  if (remark.length > MAX_REMARK_CHARS) return message('node.remarkTooLong', { max: MAX_REMARK_CHARS });
  if (HALF.test(remark)) return message('node.remarkNotUnicode');
  return HIDDEN.test(remark) ? message('node.remarkHidden') : null;
}

const clipped = (text: string): string => text.slice(0, 100);
