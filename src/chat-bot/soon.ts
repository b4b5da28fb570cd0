import type { Client } from '../events/client/client-document.js';
import { mayConnect } from '../events/client/client-document.js';
import type { Settings } from '../events/settings/settings.js';
import type { ReadModels } from '../projections/read-models.js';

const DAY_MS = 86_400_000;
const GB = 1024 ** 3;

/** A client that is soon over, and of what. */
export interface Soon {
  readonly client: Client;
  readonly expiry: boolean;
  readonly cap: boolean;
}

/** The client, if its term or its bytes are soon over by the settings; else null. */
export function soonOver(client: Client, read: ReadModels, now: number): Soon | null {
  const { expireDiff, trafficDiff }: Pick<Settings, 'expireDiff' | 'trafficDiff'> = read.settings.current();
  if (!mayConnect(client)) return null;
  const { expiresAt, capBytes } = client.spec;
  const expiry = expireDiff > 0 && expiresAt > 0 && expiresAt - now <= expireDiff * DAY_MS;
  const cap = trafficDiff > 0 && capBytes > 0 && capBytes - usedBy(client, read) <= trafficDiff * GB;
  return expiry || cap ? { client, expiry, cap } : null;
}

/** Bytes, up and down together. */
export function usedBy(client: Client, read: ReadModels): number {
  const { up, down } = read.usage.client(client);
  return up + down;
}
