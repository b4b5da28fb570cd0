import type { Client } from '../../../events/client/client-document.js';
import { mayConnect } from '../../../events/client/client-document.js';
import type { ReadModels } from '../../../projections/read-models.js';
import type { ClientTraffic } from '../contract/schemas/client.js';

/** The limits of a client, and the counters that they are compared with, which belong to its email. */
export function clientTraffic(read: ReadModels, client: Client): ClientTraffic {
  const { up, down } = read.usage.client(client);
  return {
    id: client.number,
    inboundId: client.inbound,
    enable: mayConnect(client),
    email: client.identity.email,
    uuid: client.credential.id,
    subId: client.identity.subId,
    up,
    down,
    allTime: Math.max(read.usage.clientAllTime(client), up + down),
    expiryTime: client.spec.expiresAt,
    total: client.spec.capBytes,
    reset: client.spec.renewalDays,
    lastOnline: read.usage.lastOnline(client),
  };
}

/** `1.2.3.4 (2026-05-13 12:00:00)`, in the time zone of the server. */
export function ipText([ip, at]: readonly [string, number]): string {
  const time = new Date(at);
  const date = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map(twoDigits).join('-');
  return `${ip} (${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':')})`;
}

const twoDigits = (part: number): string => String(part).padStart(2, '0');
