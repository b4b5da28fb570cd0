import { setImmediate as breathe } from 'node:timers/promises';
import { z } from 'zod';
import { NodeError } from '../../commands/ports/nodes.js';
import type { AskedNode, NodePanel, WantedClient, WantedInbound } from '../../commands/ports/remote-panel.js';
import type { Web } from '../../commands/ports/web.js';
import { unlessAborted } from '../../lib/abort.js';
import { nonsense } from './answers.js';
import type { Marks } from './listing.js';
import { ListingReader } from './listing-reader.js';
import { panelIdOf } from './probe.js';
import { askNode, fetchNode, type NodeRequest, openEnvelope } from './request.js';

/** Of a listing, after decompression: some 30,000 clients. */
const LISTING_BYTES = 32 * 1024 * 1024;
const LONG_MS = 30_000;
/** Addresses of one client that are looked at. */
const MOST_IPS = 100;
/** Clients that are written without a pause. */
const SLICE = 1_000;
/** Clients that an inbound is added with; the others follow with an update. */
const ADDED_WITH = 100;
/** Nobody reads through a longer answer to something that was done. */
const LARGE_ANSWER = 128 * 1024;

/** 3x-ui has none before it has read its core for the first time. */
const Onlines = z.array(z.string()).nullable();
/** A text says that there are none; 3x-ui hands out what it cannot read of its own as a text too. */
const ClientIps = z.union([z.array(z.string()), z.string(), z.null()]);
const Added = z.object({ id: z.int().positive(), tag: z.string().default('') });

/** The `NodePanel` port: the API of 3x-ui 3.0, which Portolan speaks too. `marks`: those of this panel. */
export function createNodePanel(
  web: Web,
  marks: Marks,
): NodePanel & { /** Breaks off what is under way. */ close(): Promise<void> } {
  const reader = new ListingReader(marks);
  const closing = new AbortController();
  const within = ({ signal = closing.signal }: AskedNode) => ({ signal });
  const post = async (node: AskedNode, path: string, over: Partial<NodeRequest> = {}): Promise<unknown> =>
    askNode(web, node, { method: 'POST', path: `panel/api/inbounds/${path}`, ...within(node), ...over });

  /** A body of any size, made in slices: a form would be made of it at once. */
  const send = async (node: AskedNode, path: string, pieces: readonly Buffer[]): Promise<unknown> => {
    const body = { type: 'application/json', content: Buffer.concat(pieces) };
    const request = { method: 'POST', path: `panel/api/inbounds/${path}`, body, timeoutMs: LONG_MS } as const;
    const answer = await fetchNode(web, node, { ...request, ...within(node), limit: LISTING_BYTES });
    // The whole inbound comes back, ten thousand clients included. A no is short.
    if (answer.length > LARGE_ANSWER && /^\s*\{\s*"success"\s*:\s*true\b/.test(answer.toString('latin1', 0, 100)))
      return null;
    return openEnvelope(answer, node.token);
  };

  return {
    async panelId(node) {
      const status = await askNode(web, node, { path: 'panel/api/server/status', ...within(node) });
      return panelIdOf(status, node.token);
    },

    async listing(node) {
      const path = 'panel/api/inbounds/list';
      const request = { path, counters: 'now', limit: LISTING_BYTES, timeoutMs: LONG_MS, ...within(node) } as const;
      // What is broken off is not read to its end either.
      const late = () => new NodeError('timeout', 'The answer takes too long to read');
      return unlessAborted(reader.read(await fetchNode(web, node, request), node.id), request.signal, late);
    },

    async onlines(node) {
      const emails = Onlines.safeParse(await post(node, 'onlines', { limit: 4 * 1024 * 1024 }));
      if (!emails.success) throw nonsense('onlines');
      return emails.data ?? [];
    },

    async clientIps(node, email) {
      const ips = ClientIps.safeParse(await post(node, `clientIps/${encodeURIComponent(email)}`));
      if (!ips.success) throw nonsense('clientIps');
      if (!Array.isArray(ips.data)) return [];
      return ips.data.slice(0, MOST_IPS).flatMap((line) => /^[\da-fA-F.:]{2,45}/.exec(line)?.[0] ?? []);
    },

    async add(node, inbound) {
      const clients = inbound.clients.length > ADDED_WITH ? [] : inbound.clients;
      const added = await send(node, 'add', await inboundBody({ ...inbound, clients }, []));
      const read = Added.safeParse(added);
      if (!read.success) throw nonsense('inbound');
      return { remote: read.data.id, tag: read.data.tag };
    },

    async update(node, remote, inbound, unmanaged) {
      await send(node, `update/${remote}`, await inboundBody(inbound, unmanaged));
    },

    async remove(node, remote) {
      await post(node, `del/${remote}`);
    },

    async setEnabled(node, remote, enabled) {
      await post(node, `setEnable/${remote}`, { form: { enable: String(enabled) } });
    },

    async addClients(node, remote, clients) {
      await post(node, 'addClient', { form: clientsForm(remote, clients) });
    },

    async updateClient(node, remote, key, client) {
      await post(node, `updateClient/${encodeURIComponent(key)}`, { form: clientsForm(remote, [client]) });
    },

    async deleteClient(node, remote, email) {
      await post(node, `${remote}/delClientByEmail/${encodeURIComponent(email)}`);
    },

    async resetClient(node, remote, email) {
      await post(node, `${remote}/resetClientTraffic/${encodeURIComponent(email)}`);
    },

    async resetInbound(node, remote) {
      await post(node, `${remote}/resetTraffic`);
    },

    async restartCore(node) {
      // By its name in 3x-ui, which Portolan answers to as well.
      const request = { path: 'panel/api/server/restartXrayService', timeoutMs: LONG_MS } as const;
      await askNode(web, node, { method: 'POST', ...request, ...within(node) });
    },

    close: () => {
      closing.abort();
      return reader.close();
    },
  };
}

function clientsForm(remote: number, clients: readonly Pick<WantedClient, 'text'>[]): Record<string, string> {
  return { id: String(remote), settings: `{"clients":[${clients.map(({ text }) => text).join(',')}]}` };
}

/** An inbound with its clients as JSON, in pieces. `settings` is a text in it: what stands in there is escaped. */
async function inboundBody(inbound: WantedInbound, unmanaged: readonly string[]): Promise<readonly Buffer[]> {
  const { settings, ...members } = inbound.members;
  const head = JSON.stringify({ ...members, enable: inbound.enabled, tag: inbound.tag });
  const own = settings.slice(1, -1);
  const pieces = [
    Buffer.from(`${head.slice(0, -1)},"settings":"${escaped(`{${own}${own === '' ? '' : ','}"clients":[`)}`),
  ];
  const texts = [...inbound.clients.map(({ text }) => text), ...unmanaged];
  for (let at = 0; at < texts.length; at += SLICE) {
    if (at > 0) await breathe();
    const slice = texts.slice(at, at + SLICE).join(',');
    pieces.push(Buffer.from(`${at > 0 ? ',' : ''}${escaped(slice)}`));
  }
  pieces.push(Buffer.from(`${escaped(']}')}"}`));
  return pieces;
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
