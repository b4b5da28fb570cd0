import { dataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import type { RecordedEvent } from '../../src/events/catalog.js';
import { openJournal } from '../../src/store/journal.js';
import type { Outbound } from '../kit/real/client-apps/outbound.js';
import type { ClientEntry } from '../kit/real/client-core.js';
import type { ClientSeed, InboundCase } from '../kit/real/inbounds.js';
import { type Admin, loopbackTemplate, must, type PanelProcess } from '../kit/real/panel-process.js';
import { freePort } from '../kit/real/ports.js';
import type { Targets } from '../kit/real/targets.js';

export { pause, until } from '../kit/wait.js';

export type EventOfType<T extends RecordedEvent['type']> = Extract<RecordedEvent, { type: T }>;

/** The log of a data directory as it is now, read beside the panel. */
export function logOf(dataDir: string, after = 0): readonly RecordedEvent[] {
  const { log } = openJournal(dataDirectory(dataDir), { readonly: true });
  try {
    const events: RecordedEvent[] = [];
    let position = after;
    for (let page = log.read(position, 1000); page.length > 0; page = log.read(position, 1000)) {
      events.push(...page);
      position = page.at(-1)?.position ?? position;
    }
    return events;
  } finally {
    log.close();
  }
}

/** Events of one type after a position. */
export function recorded<T extends RecordedEvent['type']>(dataDir: string, type: T, after = 0): EventOfType<T>[] {
  return logOf(dataDir, after).filter((event): event is EventOfType<T> => event.type === type);
}

export function headOf(dataDir: string): number {
  const { log } = openJournal(dataDirectory(dataDir), { readonly: true });
  try {
    return log.head().position;
  } finally {
    log.close();
  }
}

/** Events caused by an admin, without the panel's own readings. */
export function deedsOf(dataDir: string, after = 0): string[] {
  return logOf(dataDir, after)
    .filter(({ meta }) => meta.actor.kind !== 'system')
    .map(({ type }) => type);
}

/** Allows loopback, and routes traffic of WireGuard tunnels to the target. */
export function template({ port }: Pick<Targets, 'port'>): Record<string, unknown> {
  const allow = { finalRules: [{ action: 'allow' }] };
  return loopbackTemplate({
    outbounds: [
      { tag: 'direct', protocol: 'freedom', settings: allow },
      { tag: 'blocked', protocol: 'blackhole', settings: {} },
      { tag: 'to-target', protocol: 'freedom', settings: { ...allow, redirect: `127.0.0.1:${port}` } },
    ],
    routing: { domainStrategy: 'AsIs', rules: [{ type: 'field', ip: ['198.18.0.1'], outboundTag: 'to-target' }] },
  });
}

/** An inbound of the panel. */
export interface Added {
  one: InboundCase;
  id: number;
  port: number;
}

interface InboundAnswer {
  id: number;
}

/** POST /panel/api/inbounds/add with these clients in it. */
export async function addInbound(admin: Admin, one: InboundCase, clients: ClientSeed[]): Promise<Added> {
  const port = await freePort();
  const { id } = await must(admin.post<InboundAnswer>('/panel/api/inbounds/add', one.body(port, clients)));
  return { one, id, port };
}

/** The element of `settings.clients` that a case makes of a client, with other members put over it. */
export function wireOf(one: InboundCase, client: ClientSeed, over: Record<string, unknown> = {}): object {
  const { clients } = JSON.parse(one.body(1, [client]).settings) as { clients: [object] };
  return { ...clients[0], ...over };
}

/** The body of /addClient and /updateClient. */
export function clientBody(id: number, ...clients: object[]): { id: number; settings: string } {
  return { id, settings: JSON.stringify({ clients }) };
}

/** The key of a client in the paths of the panel API. */
export function keyOf({ protocol }: InboundCase, client: ClientSeed): string {
  if (protocol === 'trojan') return client.password;
  if (protocol === 'shadowsocks') return client.email;
  return protocol === 'hysteria2' ? client.password : client.id;
}

/** The links of a subscription, as a client app fetches them. */
export async function subscription(panel: PanelProcess, subId: string): Promise<string[]> {
  const response = await fetch(`${panel.subUrl}/sub/${subId}`, { signal: AbortSignal.timeout(60_000) });
  if (response.status !== 200) throw new Error(`subscription ${subId}: HTTP ${response.status}`);
  const text = Buffer.from(await response.text(), 'base64').toString('utf8');
  return text.split('\n').filter((line) => line !== '');
}

/** How a client app reaches the inbound: by the one link of its subscription, or as the case says where there is none. */
export async function entryOf(panel: PanelProcess, { one, port }: Added, client: ClientSeed): Promise<ClientEntry> {
  if (!one.link) return outboundOf(one, port, client);
  const links = await subscription(panel, client.subId);
  const [link] = links;
  if (link === undefined || links.length > 1) throw new Error(`${one.name}: ${links.length} links, not one`);
  return link;
}

function outboundOf(one: InboundCase, port: number, client: ClientSeed): Outbound {
  const outbound = one.outbound?.(port, client);
  if (outbound === undefined) throw new Error(`${one.name}: neither a link nor an outbound`);
  return outbound;
}
