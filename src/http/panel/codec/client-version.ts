import { type Rejection, reject } from '../../../commands/rejection.js';
import type { Client } from '../../../events/client/client-document.js';
import type { KeyedDigest } from '../../../lib/secrets/keyed-digest.js';
import { wireClient } from './client.js';

/** Equal settings have an equal version, so a change that was taken back does not conflict. */
export function clientVersion(versions: KeyedDigest, client: Client): string {
  const { created_at: _created, updated_at: _updated, ...content } = wireClient(client);
  return versions.of(`client-${client.number}`, content).slice(0, 32);
}

/** The rejection of an update whose caller edited another version; null without an expectation. */
export function clientChangedSince(versions: KeyedDigest, client: Client, expected: string): Rejection | null {
  const version = clientVersion(versions, client);
  if (expected === '' || expected === version) return null;
  const current = { version, client: wireClient(client) };
  return reject('CLIENT_CHANGED', { client: client.identity.email, current });
}
