import type { QueryClient } from '@tanstack/react-query';
import type { ClientRow, Gets, Inbound, SocketMessage, Status } from '../api/contract.generated';
import { clientPages, inbounds, onlines, status } from '../api/queries';

type Pushed = Exclude<SocketMessage, { type: 'notification' }>;
type Traffic = Extract<Pushed, { type: 'traffic' }>;

/** Puts a pushed message into the cache. The first element of a query's key is the resource that `invalidate` names. */
export function patch(client: QueryClient, message: Pushed): void {
  switch (message.type) {
    case 'status':
      client.setQueryData(status.queryKey, message.data);
      return;
    case 'xrayState':
      client.setQueryData(
        status.queryKey,
        (known: Status | undefined) => known && { ...known, core: { ...known.core, state: message.data } },
      );
      return;
    case 'invalidate':
      void client.invalidateQueries({ queryKey: [message.resource] });
      return;
    case 'traffic':
      addTraffic(client, message);
  }
}

type Growth = ReadonlyMap<number, { readonly up: number; readonly down: number }>;
type ClientPage = Gets['/panel/api/clients/page']['reply'];

/** Adds the bytes to the counters that are on screen. A client whose counters grow is connected. */
function addTraffic(client: QueryClient, { clients, inbounds: ofInbounds, at }: Traffic): void {
  const byClient: Growth = new Map(clients.map(([id, up, down]) => [id, { up, down }]));
  const byInbound: Growth = new Map(ofInbounds.map(([id, up, down]) => [id, { up, down }]));
  client.setQueriesData<ClientPage>({ queryKey: clientPages }, (page) => page && grownPage(page, byClient, at));
  const known = client.getQueryData(inbounds.queryKey);
  if (!known) return;
  const active: string[] = [];
  const next = known.map((inbound): Inbound => {
    const own = byInbound.get(inbound.id);
    if (!own && !inbound.clientStats.some(({ id }) => byClient.has(id))) return inbound;
    const clientStats = inbound.clientStats.map((stats) => {
      const more = byClient.get(stats.id);
      if (!more) return stats;
      active.push(stats.email);
      return grown(stats, more, at);
    });
    return {
      ...inbound,
      clientStats,
      up: inbound.up + (own?.up ?? 0),
      down: inbound.down + (own?.down ?? 0),
      allTime: inbound.allTime + (own?.up ?? 0) + (own?.down ?? 0),
    };
  });
  client.setQueryData(inbounds.queryKey, next);
  client.setQueryData(onlines.queryKey, (before) => {
    if (!before || active.every((email) => before.has(email))) return before;
    return new Set([...before, ...active]);
  });
}

interface Counted {
  readonly up: number;
  readonly down: number;
  readonly allTime: number;
  readonly lastOnline: number;
}

function grown<C extends Counted>(row: C, { up, down }: { readonly up: number; readonly down: number }, at: number): C {
  return { ...row, up: row.up + up, down: row.down + down, allTime: row.allTime + up + down, lastOnline: at };
}

function grownPage(page: ClientPage, byClient: Growth, at: number): ClientPage {
  if (!page.clients.some(({ id }) => byClient.has(id))) return page;
  const clients = page.clients.map((row): ClientRow => {
    const more = byClient.get(row.id);
    return more ? { ...grown(row, more, at), online: true } : row;
  });
  return { ...page, clients };
}
