import type { NodeId } from '../../events/ids.js';
import type { NodeSpec } from '../../events/node/node.js';
import { destination, type Node } from '../../events/node/node-document.js';
import { composed, hiddenIn } from '../../lib/identifiers.js';
import { HALF } from '../client/credentials.js';
import { type Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';

/** A node as a caller describes it: spelt in any way. */
export type NodeDraft = Omit<NodeSpec, 'scheme'> & { readonly scheme: string };

const LONGEST_NAME = 100;
const LONGEST_REMARK = 1000;
const LONGEST_PATH = 500;
/** Of a token; in a header, so nothing but visible ASCII. */
const TOKEN = /^[\x21-\x7e]{0,4096}$/;
/** What turns a remark around or is not seen; without the joiners, which Persian words and emoji are made with. */
const HIDDEN = /[\p{Cc}\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/u;
const PATH = /^[A-Za-z0-9._~!$&'()*+,;=:@-]+$/;

/** The description in its one canonical spelling, or a no. */
export function validSpec(draft: NodeDraft): NodeSpec | Rejection {
  const spec = readSpec(draft);
  return typeof spec === 'string' ? reject('NODE_INVALID', { why: spec }) : spec;
}

/**
 * The same, or why it cannot be had. Idempotent. Whether the address is private is asked elsewhere: that takes a
 * look-up.
 */
export function readSpec(draft: NodeDraft): NodeSpec | string {
  const { remark, port, allowPrivateAddress } = draft;
  const name = composed(draft.name.trim());
  const host = canonicalHost(draft.host);
  const basePath = canonicalPath(draft.basePath);
  const scheme = draft.scheme.trim().toLowerCase() || 'https';
  const why =
    nameFlaw(name) ??
    remarkFlaw(remark) ??
    (scheme === 'http' || scheme === 'https' ? null : 'the scheme is http or https') ??
    (draft.host.trim() === '' ? 'address is required' : host === null ? `invalid host ${quoted(draft.host)}` : null) ??
    (Number.isInteger(port) && port >= 1 && port <= 65_535 ? null : 'node port must be 1-65535') ??
    (basePath === null ? 'the base path is not a path' : null);
  if (why !== null || host === null || basePath === null) return why ?? '';
  return { name, remark, scheme: scheme === 'http' ? 'http' : 'https', host, port, basePath, allowPrivateAddress };
}

/** Why the token cannot be sent, or null. */
export function tokenError(token: string): Rejection | null {
  if (TOKEN.test(token)) return null;
  return reject('NODE_INVALID', { why: 'the token holds characters that no header carries' });
}

/** Names of nodes are told apart without regard to case. */
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

/** Whether these changes send requests to another place, or let them go where they could not. */
export function leadsElsewhere(changes: { readonly [K in keyof NodeSpec]?: NodeSpec[K] | undefined }): boolean {
  return [...destination, 'allowPrivateAddress' as const].some((member) => changes[member] !== undefined);
}

/** Whether what was asked of one is an answer about the other: the node was not sent elsewhere or given another token. */
export function sameAddress(a: Node, b: Node): boolean {
  return sameDestination(a, b) && a.keyVersion === b.keyVersion && a.allowPrivateAddress === b.allowPrivateAddress;
}

/** Another node that is the panel of this lasting name, and was so before this one. */
export function twinOf(nodes: Iterable<Node>, { id, identity }: Node, panelId: string): Node | undefined {
  if (panelId === '') return undefined;
  for (const other of nodes)
    if (other.id !== id && other.identity?.panelId === panelId && (identity?.panelId !== panelId || other.id < id))
      return other;
  return undefined;
}

/** As the URL parser spells it, so that every way to write an address is one; without brackets. Null = it is no host. */
function canonicalHost(text: string): string | null {
  const bare = text.trim().replace(/^\[(.*)\]$/, '$1');
  if (bare === '' || bare.length > 255 || /[\s\p{Cc}\p{Cf}/?#@\\]/u.test(bare)) return null;
  const asked = `http://${bare.includes(':') ? `[${bare}]` : bare}/`;
  if (!URL.canParse(asked)) return null;
  const { hostname, port, pathname } = new URL(asked);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return host === '' || port !== '' || pathname !== '/' ? null : host;
}

/** Begins and ends with one slash. Null = it is no path. */
function canonicalPath(text: string): string | null {
  const parts = text
    .trim()
    .split('/')
    .filter((part) => part !== '');
  const sound = text.length <= LONGEST_PATH && parts.every((part) => PATH.test(part) && !/^\.{1,2}$/.test(part));
  if (!sound) return null;
  return parts.length === 0 ? '/' : `/${parts.join('/')}/`;
}

function nameFlaw(name: string): string | null {
  if (name === '') return 'node name is required';
  if (name.length > LONGEST_NAME) return 'the name is longer than 100 characters';
  if (HALF.test(name)) return 'the name is not valid Unicode';
  // A name is a label too: Persian words and emoji are made with the joiners.
  const hidden = hiddenIn(name.replaceAll(/\u200c|\u200d|\ufe0f/g, ''));
  return hidden === null ? null : `the name holds ${hidden}, which cannot be seen or turns the text around`;
}

function remarkFlaw(remark: string): string | null {
  if (remark.length > LONGEST_REMARK) return 'the remark is longer than 1000 characters';
  if (HALF.test(remark)) return 'the remark is not valid Unicode';
  return HIDDEN.test(remark) ? 'the remark holds characters that cannot be shown' : null;
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 100));
