import type { StoredLog } from '../adapters/sqlite/stored-log.js';
import { emailKey } from '../events/client/client-document.js';

/** The numbers of all clients that ever had this email, deleted ones included, in the order of their first mention. */
export function clientsNamed(log: Pick<StoredLog, 'ofTypes'>, email: string): readonly number[] {
  const numbers = new Set<number>();
  for (const event of log.ofTypes(['ClientAdded', 'ClientIdentityChanged', 'ClientCredentialRotated'])) {
    if (!('identity' in event.data)) continue;
    if (emailKey(event.data.identity.email) === emailKey(email)) numbers.add(event.data.client);
  }
  return [...numbers];
}

/** The number in `#12`; null for an email. */
export function numberIn(name: string): number | null {
  return /^#\d{1,15}$/.test(name) ? Number(name.slice(1)) : null;
}
