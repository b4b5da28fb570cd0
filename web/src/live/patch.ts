import type { QueryClient } from '@tanstack/react-query';
import type { ClientRow, Gets, InboundSummary, SocketMessage, Status } from '../api/contract.generated';
import { clientPages, inbounds, status } from '../api/queries';

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
      // A core that exits during its trial is rolled back.
      void client.invalidateQueries({ queryKey: ['core', 'versionState'] });
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
  client.setQueryData(inbounds.queryKey, (known) =>
    known?.map((inbound): InboundSummary => {
      const more = byInbound.get(inbound.id);
      if (!more) return inbound;
      const { up, down } = more;
      return { ...inbound, up: inbound.up + up, down: inbound.down + down, allTime: inbound.allTime + up + down };
    }),
  );
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
