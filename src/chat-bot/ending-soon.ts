import type { Client } from '../events/client/client-document.js';
import { mayConnect } from '../events/client/client-document.js';
import type { Settings } from '../events/settings/settings.js';
import type { ReadModels } from '../projections/read-models.js';

const DAY_MS = 86_400_000;
const GB = 1024 ** 3;

/** A client that is close to its expiry or its traffic cap. */
export interface EndingSoon {
  readonly client: Client;
  readonly expiry: boolean;
  readonly cap: boolean;
}

/** Whether a client is within `expireDiff` days of its expiry or `trafficDiff` GB of its cap; null when it is not. */
export function endingSoon(client: Client, read: ReadModels, now: number): EndingSoon | null {
  const { expireDiff, trafficDiff }: Pick<Settings, 'expireDiff' | 'trafficDiff'> = read.settings.current();
  if (!mayConnect(client)) return null;
  const { expiresAt, capBytes } = client.spec;
  const expiry = expireDiff > 0 && expiresAt > 0 && expiresAt - now <= expireDiff * DAY_MS;
  const cap = trafficDiff > 0 && capBytes > 0 && capBytes - usedBy(client, read) <= trafficDiff * GB;
  return expiry || cap ? { client, expiry, cap } : null;
}

/** Bytes in both directions. */
export function usedBy(client: Client, read: ReadModels): number {
  const { up, down } = read.usage.client(client);
  return up + down;
}
