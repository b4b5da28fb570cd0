import { type Client, emailKey } from '../../../events/client/client-document.js';
import type { ClientNumber } from '../../../events/ids.js';
import type { Inbound } from '../../../events/inbound/inbound-document.js';
import type { Settings } from '../../../events/settings/settings.js';
import { message, type Text } from '../../../messages/message.js';
import { hasClients } from '../../client/credentials.js';
import type { DirectoryEntry } from '../../ports/directory.js';

/** The part of the panel's state that a sync needs. */
export interface KnownState {
  readonly settings: Settings;
  readonly inbounds: readonly Inbound[];
  readonly clientsOf: (inbound: Inbound['id']) => readonly Client[];
  readonly clientByEmail: (email: string) => Client | undefined;
  /** Clients that a sync created, and those that it disabled and that were not changed since. */
  readonly made: ReadonlySet<ClientNumber>;
  readonly disabled: ReadonlySet<ClientNumber>;
}

/** The changes that a sync makes. */
export interface DirectoryPlan {
  /** Emails that get a client in this inbound; null when there is no inbound for them. */
  readonly target: Inbound | null;
  readonly add: readonly string[];
  readonly enable: readonly Client[];
  readonly disable: readonly Client[];
  readonly remove: readonly Client[];
  /** Why some changes are not possible. */
  readonly problems: readonly Text[];
}

interface Person {
  readonly email: string;
  readonly allowed: boolean;
}

/** Up to this many clients are always removed; above it, at most half of those that a sync created. */
const ALWAYS_REMOVABLE = 10;

const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/**
 * Plans a sync. People who are not allowed are disabled. People who are allowed again are enabled only if a sync had disabled
 * them, so that the decision of an admin is kept. Only clients that a sync created are removed, and none while the directory
 * is empty or has suddenly lost more than half of its people, because it may be broken. A new client is added to the first
 * inbound, unless the person has a client in one of the others.
 */
export function planSync(entries: readonly DirectoryEntry[], known: KnownState): DirectoryPlan {
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
  // A mistyped filter matches hardly anyone and must not delete all clients.
  const tooMany = remove.length > ALWAYS_REMOVABLE && remove.length > made.size / 2;
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

function targetsOf({ settings, inbounds }: KnownState): { targets: readonly Inbound[]; problems: readonly Text[] } {
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
function peopleOf(entries: readonly DirectoryEntry[], { settings, clientByEmail }: KnownState): Map<string, Person> {
  const truthy = new Set(listOf(settings.ldapTruthyValues).map((value) => value.toLowerCase()));
  const people = new Map<string, Person>();
  for (const { names, flag } of entries) {
    // Of several names, the one that a client already has is used, because their order depends on the directory.
    const email = names.find((name) => clientByEmail(name)) ?? names[0];
    if (email === undefined) continue;
    const key = emailKey(email);
    const allowed = truthy.has((flag ?? '').trim().toLowerCase()) !== settings.ldapInvertFlag;
    people.set(key, { email, allowed: allowed && (people.get(key)?.allowed ?? true) });
  }
  return people;
}
