import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import {
  NodeError,
  type RemoteChange,
  type RemotePanel,
  type RequestTarget,
} from '../../commands/ports/remote-panel.js';
import type { Web } from '../../commands/ports/web.js';
import type { DesiredClient, DesiredInbound } from '../../events/node/desired-state.js';
import { unlessAborted } from '../../lib/abort.js';
import { message } from '../../messages/message.js';
import type { Marks } from './listing.js';
import { ListingReader } from './listing-reader.js';
import { probe } from './probe.js';
import { invalidMember } from './reply-fields.js';
import { askNode, fetchNode, type NodeRequest, openEnvelope } from './request.js';

/** Of a listing, after decompression: some 30,000 clients. */
const MAX_LISTING_BYTES = 32 * 1024 * 1024;
const LONG_TIMEOUT_MS = 30_000;
/** Addresses that are read of one client. */
const MAX_IPS = 100;
/** Clients that are written before the event loop runs. */
const CHUNK_CLIENTS = 1_000;
/** An inbound with more clients is added without them, and they follow with an update. */
const CLIENTS_WITH_INBOUND = 100;
/** A longer reply to a successful change is not parsed. */
const LARGE_ANSWER = 128 * 1024;

/** Null in a 3x-ui until it has read its core for the first time. */
const Onlines = z.array(z.string()).nullable();
/** A string means that there are none; a 3x-ui also returns stored data that it cannot parse as a string. */
const ClientIps = z.union([z.array(z.string()), z.string(), z.null()]);
const Added = z.object({ id: z.int().positive(), tag: z.string().default('') });

/** The API of 3x-ui 3.0, which Portolan implements too. `marks`: the marks of this panel. */
export function createRemotePanel(
  web: Web,
  marks: Marks,
): RemotePanel & { /** Aborts the requests that are under way. */ close(): Promise<void> } {
  const reader = new ListingReader(marks);
  const closing = new AbortController();
  const ask = (node: RequestTarget, request: NodeRequest): Promise<unknown> =>
    askNode(web, node, { signal: node.signal ?? closing.signal, ...request });
  const post = (node: RequestTarget, path: string, form?: Readonly<Record<string, string>>): Promise<unknown> =>
    ask(node, { method: 'POST', path: `panel/api/inbounds/${path}`, ...(form && { form }) });

  return {
    probe: (node) => probe(ask, node),

    async listing(node) {
      const signal = node.signal ?? closing.signal;
      const request = { path: 'panel/api/inbounds/list', counters: 'now', timeoutMs: LONG_TIMEOUT_MS } as const;
      const body = await fetchNode(web, node, { ...request, limit: MAX_LISTING_BYTES, signal });
      // Aborting the request also aborts the parsing.
      const late = () => new NodeError('timeout', message('node.replyTooSlow'));
      return unlessAborted(reader.read(body, node.id), signal, late);
    },

    async onlines(node) {
      const request = { method: 'POST', path: 'panel/api/inbounds/onlines', limit: 4 * 1024 * 1024 } as const;
      const emails = Onlines.safeParse(await ask(node, request));
      if (!emails.success) throw invalidMember('onlines');
      return emails.data ?? [];
    },

    async clientIps(node, email) {
      const ips = ClientIps.safeParse(await post(node, `clientIps/${encodeURIComponent(email)}`));
      if (!ips.success) throw invalidMember('clientIps');
      if (!Array.isArray(ips.data)) return [];
      return ips.data.slice(0, MAX_IPS).flatMap((line) => /^[\da-fA-F.:]{2,45}/.exec(line)?.[0] ?? []);
    },

    async add(node, inbound) {
      const clients = inbound.clients.length > CLIENTS_WITH_INBOUND ? [] : inbound.clients;
      const added = await sendInbound(web, node, 'add', await inboundBody({ ...inbound, clients }, []), closing.signal);
      const read = Added.safeParse(added);
      if (!read.success) throw invalidMember('inbound');
      return { remote: read.data.id, tag: read.data.tag };
    },

    async update(node, remote, inbound, foreignClients) {
      await sendInbound(web, node, `update/${remote}`, await inboundBody(inbound, foreignClients), closing.signal);
    },

    async change(node, remote, change) {
      const { path, form } = requestOf(remote, change);
      await post(node, path, form);
    },

    async restartCore(node) {
      // The path of 3x-ui; Portolan has it too.
      await ask(node, { method: 'POST', path: 'panel/api/server/restartXrayService', timeoutMs: LONG_TIMEOUT_MS });
    },

    close: () => {
      closing.abort();
      return reader.close();
    },
  };
}

/** Where a change is posted, below `panel/api/inbounds/`, and with which form. */
function requestOf(remote: number, change: RemoteChange): { path: string; form?: Record<string, string> } {
  switch (change.do) {
    case 'remove':
      return { path: `del/${remote}` };
    case 'setEnabled':
      return { path: `setEnable/${remote}`, form: { enable: String(change.enabled) } };
    case 'addClients':
      return { path: 'addClient', form: clientsForm(remote, change.clients) };
    case 'updateClient':
      return { path: `updateClient/${encodeURIComponent(change.key)}`, form: clientsForm(remote, [change.client]) };
    case 'deleteClient':
      return { path: `${remote}/delClientByEmail/${encodeURIComponent(change.email)}` };
    case 'resetClient':
      return { path: `${remote}/resetClientTraffic/${encodeURIComponent(change.email)}` };
    case 'resetInbound':
      return { path: `${remote}/resetTraffic` };
  }
}

/** Posts a body of any size in pieces, because a large form would block the event loop while it is encoded. */
async function sendInbound(
  web: Web,
  node: RequestTarget,
  path: string,
  pieces: readonly Buffer[],
  closing: AbortSignal,
): Promise<unknown> {
  const body = { type: 'application/json', content: Buffer.concat(pieces) };
  const request = { method: 'POST', path: `panel/api/inbounds/${path}`, body, timeoutMs: LONG_TIMEOUT_MS } as const;
  const answer = await fetchNode(web, node, { ...request, signal: node.signal ?? closing, limit: MAX_LISTING_BYTES });
  // A success returns the whole inbound, up to ten thousand clients, which is not parsed. A refusal is short.
  if (answer.length > LARGE_ANSWER && /^\s*\{\s*"success"\s*:\s*true\b/.test(answer.toString('latin1', 0, 100)))
    return null;
  return openEnvelope(answer, node.token);
}

function clientsForm(remote: number, clients: readonly Pick<DesiredClient, 'text'>[]): Record<string, string> {
  return { id: String(remote), settings: `{"clients":[${clients.map(({ text }) => text).join(',')}]}` };
}

/** An inbound with its clients as JSON, in pieces. `settings` is a string in it, so its content is escaped. */
async function inboundBody(inbound: DesiredInbound, foreignClients: readonly string[]): Promise<readonly Buffer[]> {
  const { settings, ...members } = inbound.members;
  const head = JSON.stringify({ ...members, enable: inbound.enabled, tag: inbound.tag });
  const own = settings.slice(1, -1);
  const pieces = [
    Buffer.from(`${head.slice(0, -1)},"settings":"${escaped(`{${own}${own === '' ? '' : ','}"clients":[`)}`),
  ];
  const texts = [...inbound.clients.map(({ text }) => text), ...foreignClients];
  for (let at = 0; at < texts.length; at += CHUNK_CLIENTS) {
    if (at > 0) await yieldToEventLoop();
    const slice = texts.slice(at, at + CHUNK_CLIENTS).join(',');
    pieces.push(Buffer.from(`${at > 0 ? ',' : ''}${escaped(slice)}`));
  }
  pieces.push(Buffer.from(`${escaped(']}')}"}`));
  return pieces;
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
