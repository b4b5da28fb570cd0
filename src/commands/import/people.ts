import { isIP } from 'node:net';
import type { PanelEvent } from '../../events/catalog.js';
import { ClientAdded, ClientDepleted } from '../../events/client/client.js';
import { ClientIpsSeen } from '../../events/client/client-ips.js';
import { ClientNumber } from '../../events/ids.js';
import { ClientHistoryImported, InboundHistoryImported } from '../../events/import.js';
import { InboundDepleted } from '../../events/inbound/inbound.js';
import { isObject } from '../../lib/json.js';
import { message } from '../../messages/message.js';
import type { XuiIps, XuiPanel } from '../ports/xui-panel.js';
import { ClientImport } from './clients.js';
import { depletionOfInbound, type ImportedInbound } from './inbounds.js';
import { numberOf, parse } from './json.js';
import { clientItem, type Named, nameClients } from './names.js';
import { type Notes, shown } from './report.js';

/** Limit of addresses per client. */
const MAX_IPS = 100;

/** Clients, numbered in their order, then the traffic of clients and inbounds. */
export function importClients(
  panel: XuiPanel,
  inbounds: readonly ImportedInbound[],
  now: number,
  notes: Notes,
): PanelEvent[] {
  notes.rows('client_traffics', panel.stats.length);
  for (const { up, down } of panel.stats) notes.found({ clientUp: up, clientDown: down });
  const named = nameClients(
    inbounds.flatMap(({ entries }) => entries),
    panel.stats,
    notes,
  );
  const events: PanelEvent[] = [];
  const numbers = new Map<string, ClientNumber>();
  let last = 0;
  for (const inbound of inbounds) {
    const joined = new ClientImport(inbound.spec.protocol, inbound.config.settings, notes, now);
    for (const entry of inbound.entries) {
      const name = named.get(entry);
      if (!name) continue;
      last += 1;
      const client = ClientNumber.parse(last);
      if (name.counts) numbers.set(entry.email, client);
      const { draft, depletion, ...times } = joined.convert(entry, name);
      events.push(ClientAdded({ client, inbound: inbound.id, keyVersion: 1, ...draft }));
      events.push(...historyOf(client, name, times, notes));
      if (depletion) events.push(ClientDepleted({ client, depletion }));
      notes.took({ clients: 1 });
      if (name.row === null) notes.noted('clients', clientItem(entry), message('import.noCounters'));
    }
    events.push(...inboundHistory(inbound, now, notes));
  }
  return [...events, ...importIps(panel.ips, numbers, now, notes)];
}

function historyOf(
  client: ClientNumber,
  { row, counts }: Named,
  times: { readonly createdAt: number; readonly updatedAt: number },
  notes: Notes,
): PanelEvent[] {
  const { up, down, allTime } = row && counts ? row : { up: 0, down: 0, allTime: 0 };
  const lastOnlineAt = row?.lastOnline ?? 0;
  notes.took({ clientUp: up, clientDown: down });
  if (up + down + allTime + lastOnlineAt + times.createdAt + times.updatedAt === 0) return [];
  const whole = Math.max(allTime, up + down);
  return [ClientHistoryImported({ client, up, down, allTime: whole, lastOnlineAt, ...times })];
}

function inboundHistory(imported: ImportedInbound, now: number, notes: Notes): PanelEvent[] {
  const { row, id: inbound } = imported;
  const { up, down, allTime, lastTrafficResetTime: resetAt } = row;
  notes.took({ inbounds: 1, inboundUp: up, inboundDown: down });
  const depletion = depletionOfInbound(row, now);
  return [
    ...(up + down + allTime + resetAt === 0
      ? []
      : [InboundHistoryImported({ inbound, up, down, allTime: Math.max(allTime, up + down), resetAt })]),
    ...(depletion ? [InboundDepleted({ inbound, depletion })] : []),
  ];
}

function importIps(
  rows: readonly XuiIps[],
  numbers: ReadonlyMap<string, ClientNumber>,
  now: number,
  notes: Notes,
): PanelEvent[] {
  notes.rows('inbound_client_ips', rows.length);
  return rows.flatMap(({ clientEmail, ips: text }) => {
    const item = message('import.addresses', { email: shown(clientEmail) });
    const client = numbers.get(clientEmail);
    const parsed = parse(text);
    if (client === undefined || !(parsed === null || Array.isArray(parsed))) {
      notes.dropped(
        'inbound_client_ips',
        item,
        message(client === undefined ? 'import.countersOrphan' : 'import.notList'),
      );
      return [];
    }
    const ips = (parsed ?? []).flatMap((entry: unknown) => addressOf(entry, now)).slice(-MAX_IPS);
    return ips.length === 0 ? [] : [ClientIpsSeen({ client, ips })];
  });
}

/** `{ip, timestamp}` in seconds, or only the address, as in earlier releases. */
function addressOf(entry: unknown, now: number): { ip: string; seenAt: number }[] {
  const ip = isObject(entry) ? entry['ip'] : entry;
  const seconds = isObject(entry) ? numberOf(entry['timestamp']) : null;
  if (typeof ip !== 'string' || isIP(ip) === 0) return [];
  const seenAt = seconds === null ? now : seconds * 1000;
  return seenAt >= 0 && seenAt <= now ? [{ ip, seenAt }] : [];
}
