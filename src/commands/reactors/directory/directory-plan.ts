import { type Client, emailKey } from '../../../events/client/client-document.js';
import type { ClientNumber } from '../../../events/ids.js';
import type { Inbound } from '../../../events/inbound/inbound-document.js';
import type { Settings } from '../../../events/settings/settings.js';
import { message, type Text } from '../../../messages/message.js';
import { hasClients } from '../../client/credentials.js';
import type { DirectoryEntry } from '../../ports/directory.js';

/** What the panel has, as far as a sync must know it. */
export interface Known {
  readonly settings: Settings;
  readonly inbounds: readonly Inbound[];
  readonly clientsOf: (inbound: Inbound['id']) => readonly Client[];
  readonly clientByEmail: (email: string) => Client | undefined;
  /** Clients that a sync made, and those that it disabled and nobody has touched since. */
  readonly made: ReadonlySet<ClientNumber>;
  readonly disabled: ReadonlySet<ClientNumber>;
}

/** What is to be done so that clients are as the directory says. */
export interface DirectoryPlan {
  /** Emails that get a client in this inbound; null when there is no inbound for them. */
  readonly target: Inbound | null;
  readonly add: readonly string[];
  readonly enable: readonly Client[];
  readonly disable: readonly Client[];
  readonly remove: readonly Client[];
  /** Sentences about what stands in the way. */
  readonly problems: readonly Text[];
}

interface Person {
  readonly email: string;
  readonly allowed: boolean;
}

/** So many may always be removed at once; above it no more than half of those that a sync made. */
const FEW = 10;

const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/**
 * The rules of a sync. Who is not allowed may not connect, whoever enabled the client; who is allowed again is enabled
 * only where a sync had disabled, so that an admin's no stays. Removed are only clients that a sync made, and nobody as
 * long as the directory names nobody, or suddenly less than half: one that is broken must not disconnect everybody. Who has a client
 * in any inbound needs no other, so a new one goes to the first of them.
 */
export function planSync(entries: readonly DirectoryEntry[], known: Known): DirectoryPlan {
  const { settings, made, disabled } = known;
  const { targets, problems } = targetsOf(known);
  const people = peopleOf(entries, known);
  const enable: Client[] = [];
  const disable: Client[] = [];
  const remove: Client[] = [];
  for (const client of targets.flatMap(({ id }) => known.clientsOf(id))) {
    const person = people.get(emailKey(client.identity.email));
    if (person === undefined) {
      if (settings.ldapAutoDelete && people.size > 0 && made.has(client.number)) remove.push(client);
    } else if (!person.allowed) {
      if (client.spec.enabled) disable.push(client);
    } else if (!client.spec.enabled && disabled.has(client.number)) enable.push(client);
  }
  // A mistyped filter matches hardly any person, and must not delete all clients.
  const tooMany = remove.length > FEW && remove.length > made.size / 2;
  const missing = [...people.values()].filter(({ email, allowed }) => allowed && !known.clientByEmail(email));
  const target = targets[0] ?? null;
  return {
    target,
    add: settings.ldapAutoCreate && target ? missing.map(({ email }) => email) : [],
    enable,
    disable,
    remove: tooMany ? [] : remove,
    problems: [
      ...problems,
      ...(people.size === 0 ? [message('directory.empty')] : []),
      ...(tooMany ? [message('directory.tooManyMissing')] : []),
    ],
  };
}

function targetsOf({ settings, inbounds }: Known): { targets: readonly Inbound[]; problems: readonly Text[] } {
  const targets: Inbound[] = [];
  const problems: Text[] = [];
  for (const tag of new Set(listOf(settings.ldapInboundTags))) {
    const inbound = inbounds.find((one) => one.tag === tag);
    if (!inbound) problems.push(message('directory.inboundMissing', { tag }));
    else if (!hasClients(inbound.protocol)) problems.push(message('directory.inboundWithoutClients', { tag }));
    else targets.push(inbound);
  }
  return { targets, problems };
}

/** By email; of two entries with one email both must be allowed. */
function peopleOf(entries: readonly DirectoryEntry[], { settings, clientByEmail }: Known): Map<string, Person> {
  const truthy = new Set(listOf(settings.ldapTruthyValues).map((value) => value.toLowerCase()));
  const people = new Map<string, Person>();
  for (const { names, flag } of entries) {
    // Of several names the one that is a client already: their order is up to the directory.
    const email = names.find((name) => clientByEmail(name)) ?? names[0];
    if (email === undefined) continue;
    const key = emailKey(email);
    const allowed = truthy.has((flag ?? '').trim().toLowerCase()) !== settings.ldapInvertFlag;
    people.set(key, { email, allowed: allowed && (people.get(key)?.allowed ?? true) });
  }
  return people;
}
