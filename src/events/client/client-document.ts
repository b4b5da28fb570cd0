import type { RecordedEvent } from '../catalog.js';
import type { ClientNumber, InboundId } from '../ids.js';
import type { Depletion } from '../inbound/inbound.js';
import type { ClientCredential, ClientIdentity, ClientSpec } from './client.js';

/** A client after its events, without its counters. */
export interface Client {
  readonly number: ClientNumber;
  readonly inbound: InboundId;
  readonly spec: ClientSpec;
  readonly identity: ClientIdentity;
  readonly keyVersion: number;
  readonly credential: ClientCredential;
  readonly depletion: Depletion | null;
  /** When it was depleted; 0 when it is not. */
  readonly depletedAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Expiry before the first renewal, ms. Renewals keep its time of day. */
  readonly firstEnd?: number;
}

/** Folds one event into the collection of clients. Events of other nouns are ignored. */
export function evolveClients(clients: Map<ClientNumber, Client>, event: RecordedEvent): void {
  switch (event.type) {
    case 'ClientAdded': {
      const { client, inbound, spec, identity, keyVersion, credential } = event.data;
      const at = event.meta.at;
      const state = { depletion: null, depletedAt: 0, createdAt: at, updatedAt: at };
      clients.set(client, { number: client, inbound, spec, identity, keyVersion, credential, ...state });
      break;
    }
    case 'ClientDeleted':
      clients.delete(event.data.client);
      break;
    case 'ClientUpdated':
    case 'ClientIdentityChanged':
    case 'ClientCredentialRotated':
    case 'ClientDepleted':
    case 'ClientReactivated':
    case 'ClientExpiryStarted':
    case 'ClientRenewed':
    case 'ClientHistoryImported': {
      const client = clients.get(event.data.client);
      if (client) clients.set(client.number, evolveClient(client, event));
      break;
    }
    default:
  }
}

/** Plain copies, because an immer draft of such a small document costs several times as much. */
function evolveClient(client: Client, event: RecordedEvent): Client {
  switch (event.type) {
    case 'ClientUpdated': {
      const { firstEnd, ...rest } = client;
      const kept = firstEnd === undefined || event.data.changes.expiresAt !== undefined ? rest : client;
      return {
        ...kept,
        spec: { ...client.spec, ...(event.data.changes as ClientSpec) },
        updatedAt: event.meta.at,
      };
    }
    case 'ClientIdentityChanged':
      return { ...client, identity: event.data.identity, updatedAt: event.meta.at };
    case 'ClientCredentialRotated': {
      const { keyVersion, identity, credential } = event.data;
      return { ...client, keyVersion, identity, credential, updatedAt: event.meta.at };
    }
    case 'ClientDepleted':
      return { ...client, depletion: event.data.depletion, depletedAt: event.meta.at };
    case 'ClientReactivated':
      return { ...client, depletion: null, depletedAt: 0 };
    case 'ClientExpiryStarted':
      return { ...client, spec: { ...client.spec, expiresAt: event.data.expiresAt } };
    case 'ClientRenewed': {
      const { previousExpiresAt: from, expiresAt } = event.data;
      return { ...client, spec: { ...client.spec, expiresAt }, firstEnd: client.firstEnd ?? from };
    }
    case 'ClientHistoryImported': {
      const { createdAt, updatedAt } = event.data;
      return { ...client, createdAt: createdAt || client.createdAt, updatedAt: updatedAt || client.updatedAt };
    }
    default:
      return client;
  }
}

/** Whether the client itself may connect. Its inbound must also be enabled and not depleted. */
export function mayConnect(client: Client): boolean {
  return client.spec.enabled && client.depletion === null;
}

const ASCII = /^[ -~]*$/;

/** Emails are compared without regard to case and to the Unicode normalization form. */
export function emailKey(email: string): string {
  const lower = email.toLowerCase();
  // A normalization takes most of the time, and changes nothing in ASCII.
  return ASCII.test(lower) ? lower : lower.normalize('NFC');
}
