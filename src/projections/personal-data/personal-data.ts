import type { RecordedEvent } from '../../events/catalog.js';
import type { ClientCredential, ClientIdentity } from '../../events/client/client.js';
import { type Client, evolveClients } from '../../events/client/client-document.js';
import type { ClientNumber } from '../../events/ids.js';
import type { Text } from '../../messages/message.js';
import type { ReadModels } from '../read-models.js';
import type { Statement } from '../statement/statement.js';
import { textOfEvent } from '../why/event-texts.js';

/** A value that gives access, with only its last characters. */
const MASK = '••••';
const SHOWN = 4;
const masked = (value: string): string => (value === '' ? '' : MASK + value.slice(-SHOWN));
const readable = (value: string): string => value;

/** One account of the client. Times in ms since 1970, 0 = never or none. */
interface Account {
  readonly client: number;
  readonly inbound: number;
  readonly identity: ClientIdentity;
  readonly credential: ClientCredential;
  readonly spec: Client['spec'];
  readonly keyVersion: number;
  readonly addedAt: number;
  readonly changedAt: number;
  readonly deletedAt: number;
  readonly lastOnlineAt: number;
}

/** An address from which the client was connected. */
interface SeenAddress {
  readonly ip: string;
  readonly lastSeenAt: number;
}

interface ClientEvent {
  readonly position: number;
  readonly at: number;
  readonly type: string;
  readonly what: Text;
  /** The kind of the actor. Names and addresses of admins are data of other people. */
  readonly by: string;
  readonly data: unknown;
}

/** Everything that the log knows of a client: article 15 GDPR. */
export interface PersonalData {
  readonly accounts: readonly Account[];
  readonly online: boolean;
  /** Newest first. */
  readonly addresses: readonly SeenAddress[];
  /** Oldest first. */
  readonly events: readonly ClientEvent[];
  readonly statement: Statement;
}

/** All data of clients, deleted ones included, from their events by number. With `mask`, whatever gives access is masked. */
export function personalDataOf(
  read: Pick<ReadModels, 'clients' | 'usage'>,
  histories: ReadonlyMap<number, readonly RecordedEvent[]>,
  { mask, now, statement }: { readonly mask: boolean; readonly now: number; readonly statement: Statement },
): PersonalData {
  const shown = mask ? masked : readable;
  const streams = [...histories.values()];
  const accounts = streams.flatMap((events) => accountOf(read, events) ?? []);
  const emails = new Set(accounts.map(({ identity }) => identity.email));
  return {
    accounts: accounts.map((account) => ({
      ...account,
      identity: identityWith(account.identity, shown),
      credential: credentialWith(account.credential, shown),
    })),
    online: read.usage.onlineEmails(now).some((email) => emails.has(email)),
    addresses: addressesIn(streams.flat()),
    events: streams
      .flat()
      .sort((a, b) => a.position - b.position)
      .map((event) => eventOf(event, shown)),
    statement,
  };
}

type Shown = (value: string) => string;

/** The subscription ID gives access like a password, so it is masked with them. */
const identityWith = (identity: ClientIdentity, shown: Shown): ClientIdentity => ({
  ...identity,
  subId: shown(identity.subId),
});
const credentialWith = ({ id, password, auth }: ClientCredential, shown: Shown): ClientCredential => ({
  ...{ id: shown(id), password: shown(password), auth: shown(auth) },
});

/** The account as its last event left it, or as it was when it was deleted. */
function accountOf(read: Pick<ReadModels, 'clients' | 'usage'>, events: readonly RecordedEvent[]): Account | null {
  const clients = new Map<ClientNumber, Client>();
  for (const event of events) if (event.type !== 'ClientDeleted') evolveClients(clients, event);
  const [client] = clients.values();
  if (!client) return null;
  const { number, inbound, identity, credential, spec, keyVersion, createdAt, updatedAt } = client;
  const current = read.clients.get(number);
  return {
    ...{ client: number, inbound, identity, credential, spec, keyVersion },
    ...{ addedAt: createdAt, changedAt: updatedAt },
    deletedAt: events.findLast(({ type }) => type === 'ClientDeleted')?.meta.at ?? 0,
    lastOnlineAt: current ? read.usage.lastOnline(current) : 0,
  };
}

function addressesIn(events: readonly RecordedEvent[]): readonly SeenAddress[] {
  const seen = new Map<string, number>();
  for (const event of events) {
    if (event.type !== 'ClientIpsSeen') continue;
    for (const { ip, seenAt } of event.data.ips) seen.set(ip, Math.max(seenAt, seen.get(ip) ?? 0));
  }
  return [...seen].sort((a, b) => b[1] - a[1]).map(([ip, lastSeenAt]) => ({ ip, lastSeenAt }));
}

function eventOf(event: RecordedEvent, shown: Shown): ClientEvent {
  const { position, type, meta } = event;
  return { position, at: meta.at, type, what: textOfEvent(event), by: meta.actor.kind, data: dataOf(event, shown) };
}

function dataOf({ data }: RecordedEvent, shown: Shown): unknown {
  return {
    ...data,
    ...('identity' in data ? { identity: identityWith(data.identity, shown) } : {}),
    ...('credential' in data && 'password' in data.credential
      ? { credential: credentialWith(data.credential, shown) }
      : {}),
  };
}
