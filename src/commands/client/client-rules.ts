import type { PanelEvent } from '../../events/catalog.js';
import {
  ClientAdded,
  ClientCredentialRotated,
  ClientDepleted,
  ClientIdentityChanged,
  ClientReactivated,
  type ClientSpec,
  ClientUpdated,
} from '../../events/client/client.js';
import { type Client, emailKey } from '../../events/client/client-document.js';
import { ClientNumber, type InboundId } from '../../events/ids.js';
import type { InboundConfig, Protocol } from '../../events/inbound/inbound.js';
import { DataKeyDestroyed } from '../../events/panel.js';
import { holdOnClient } from '../../events/personal-data/hold-document.js';
import type { Counter } from '../../events/traffic/counters.js';
import { keptName } from '../../lib/identifiers.js';
import { sameJson } from '../../lib/json.js';
import { readMark } from '../../lib/ownership-mark.js';
import { Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { unblocked } from '../traffic/ip-limit.js';
import { type ClientDraft, clientKey, clientProblem, credentialKey } from './credentials.js';
import { depletionChange, depletionOf } from './limits.js';
import { clientIn, clientsNamed, deletions, transferUsage, usedTogether, usedUnder } from './siblings.js';

/** The inbound of the clients, as it will be after the command. */
export interface Target {
  readonly id: InboundId;
  readonly protocol: Protocol;
  readonly config: InboundConfig;
}

/** Emails and credentials of the preceding clients of the same request. */
export class UsedNames {
  readonly #emails = new Set<string>();
  readonly #credentials = new Map<string, string>();

  /** Why `draft` conflicts with the clients of the panel (except `self`) or of this request. */
  problem(state: PanelState, target: Target, draft: ClientDraft, self?: Client): Rejection | null {
    const { email } = draft.identity;
    const shared = emailProblem(state, target, draft, self);
    if (shared) return shared;
    if (this.#emails.has(emailKey(email))) return reject('EMAIL_TAKEN', { email });
    this.#emails.add(emailKey(email));
    const key = credentialKey(target.protocol, draft.credential);
    if (key === null) return null;
    const owner = state.byCredential.get(`${target.id}/${key}`);
    const other =
      owner !== undefined && owner !== self?.number
        ? state.clients.get(owner)?.identity.email
        : this.#credentials.get(key);
    if (other !== undefined) return reject('CREDENTIAL_TAKEN', { email, other });
    this.#credentials.set(key, email);
    return null;
  }
}

/**
 * An email may be used on several inbounds, once on each, for the same person. These clients must have the same subscription
 * id.
 */
function emailProblem(state: PanelState, target: Target, { identity }: ClientDraft, self?: Client): Rejection | null {
  const { email, subId } = identity;
  const other = clientsNamed(state, email).find(
    (client) =>
      client.number !== self?.number &&
      (client.inbound === target.id || subId === '' || client.identity.subId !== subId),
  );
  if (!other) return null;
  const kept = self !== undefined && emailKey(self.identity.email) === emailKey(email);
  return kept ? reject('SUB_ID_SHARED', { email, inbound: other.inbound }) : reject('EMAIL_TAKEN', { email });
}

/** The draft with its email in normalized form; `stored` is the current email of the client. */
function named(draft: ClientDraft, stored = ''): ClientDraft {
  const email = keptName(draft.identity.email, stored);
  return email === draft.identity.email ? draft : { ...draft, identity: { ...draft.identity, email } };
}

/** The events that add the clients, or the first problem. */
export function addClients(
  state: PanelState,
  target: Target,
  drafts: readonly ClientDraft[],
  taken = new UsedNames(),
): PanelEvent[] | Rejection {
  const events: PanelEvent[] = [];
  let number = state.lastClient;
  for (const requested of drafts) {
    const draft = named(requested);
    const problem =
      clientProblem(target.protocol, target.config.settings, draft) ?? taken.problem(state, target, draft);
    if (problem) return problem;
    number += 1;
    const client = ClientNumber.parse(number);
    events.push(ClientAdded({ client, inbound: target.id, keyVersion: 1, ...draft }));
    // The usage of its siblings counts for a new client.
    const siblings = clientsNamed(state, draft.identity.email);
    const depletion = depletionOf(draft.spec.capBytes, 0, usedTogether(state, siblings), 0);
    if (depletion) events.push(ClientDepleted({ client, depletion }));
  }
  return events;
}

/** The events that change `client` into `draft`, and those that restore or deplete it. */
export function changeClient(
  state: PanelState,
  target: Target,
  client: Client,
  requested: ClientDraft,
  now: number,
  taken = new UsedNames(),
): PanelEvent[] | Rejection {
  const draft = named(requested, client.identity.email);
  const problem =
    clientProblem(target.protocol, target.config.settings, draft, client.identity) ??
    taken.problem(state, target, draft, client);
  if (problem) return problem;
  const events: PanelEvent[] = [];
  const changes = changedSpec(client.spec, draft.spec);
  if (Object.keys(changes).length > 0) events.push(ClientUpdated({ client: client.number, changes }));
  if (changes.limitIp !== undefined || changes.enabled === true) events.push(...unblocked(state, client, 'changed'));
  const { identity, credential } = draft;
  const renamed = emailKey(identity.email) !== emailKey(client.identity.email);
  if (renamed) events.push(...transferUsage(state, client));
  if (!sameJson(client.credential, credential)) {
    const keyVersion = client.keyVersion + 1;
    // The rotation keeps the email, because a replay cannot read the previous one after its key is destroyed.
    const kept = renamed ? { ...identity, email: client.identity.email } : identity;
    const rotated = ClientCredentialRotated({ client: client.number, keyVersion, identity: kept, credential });
    events.push(rotated);
    // Under a legal hold the former data stays readable until the hold is released.
    if (!holdOnClient(state.holds, client.number, client.createdAt, now))
      events.push(DataKeyDestroyed({ key: `client:${client.number}/${client.keyVersion}`, reason: 'rotated' }));
    if (renamed)
      events.push(ClientIdentityChanged({ client: client.number, keyVersion, emailChanged: renamed, identity }));
  } else if (!sameJson(client.identity, identity)) {
    events.push(
      ClientIdentityChanged({ client: client.number, keyVersion: client.keyVersion, emailChanged: renamed, identity }),
    );
  }
  const next: Client = { ...client, spec: draft.spec };
  const used = usedUnder(state, client, identity.email);
  // Its usage counts for the clients that have the new email.
  const joined = renamed ? clientsNamed(state, identity.email) : [];
  const others = joined.flatMap((one) => clientDepletionEvents(one, used, now));
  // The centre of this node decides about its clients, because its log has the expiry.
  const reevaluate = changes.enabled === true || readMark('', identity.comment).number !== 0;
  return [...events, ...clientDepletionEvents(next, used, now, reevaluate), ...others];
}

/** The events that deplete or restore a client with a usage; none if nothing changes. `reevaluate`: see `depletionChange`. */
export function clientDepletionEvents(client: Client, used: Counter, now: number, reevaluate = false): PanelEvent[] {
  const { number, depletion, spec } = client;
  const verdict = depletionChange({ ...spec, depletion }, used, now, reevaluate);
  if (verdict === 'restored') return [ClientReactivated({ client: number })];
  // The next poll renews the client, so a depleted client does not become expired.
  const passing = depletion !== null && verdict?.reason === 'expiry' && spec.renewalDays > 0;
  return verdict === null || passing ? [] : [ClientDepleted({ client: number, depletion: verdict })];
}

function changedSpec(before: ClientSpec, after: ClientSpec): Partial<ClientSpec> {
  const keys = Object.keys(after) as (keyof ClientSpec)[];
  return Object.fromEntries(keys.filter((key) => before[key] !== after[key]).map((key) => [key, after[key]]));
}

/**
 * Replaces all clients of an inbound: clients with a known email are changed, others are added, and clients that are not
 * listed are deleted.
 */
export function syncClients(
  state: PanelState,
  target: Target,
  drafts: readonly ClientDraft[],
  now: number,
): PanelEvent[] | Rejection {
  const current = [...(state.clientsOf.get(target.id) ?? [])].flatMap((number) => state.clients.get(number) ?? []);
  const byEmail = new Map(current.map((client) => [emailKey(client.identity.email), client]));
  const named = new Set(drafts.map((draft) => emailKey(draft.identity.email)));
  const removed = current.filter((client) => !named.has(emailKey(client.identity.email)));
  const events = deletions(state, removed);

  // The credentials of deleted clients are free for the others.
  const rest = removed.length === 0 ? state : withoutClients(state, target, removed);
  const taken = new UsedNames();
  const fresh: ClientDraft[] = [];
  for (const draft of drafts) {
    const client = byEmail.get(emailKey(draft.identity.email));
    if (!client) {
      fresh.push(draft);
      continue;
    }
    const changed = changeClient(rest, target, client, draft, now, taken);
    if (changed instanceof Rejection) return changed;
    events.push(...changed);
  }
  const added = addClients(rest, target, fresh, taken);
  return added instanceof Rejection ? added : [...events, ...added];
}

function withoutClients(state: PanelState, target: Target, removed: readonly Client[]): PanelState {
  const byCredential = new Map(state.byCredential);
  for (const client of removed)
    byCredential.delete(`${target.id}/${credentialKey(target.protocol, client.credential)}`);
  return { ...state, byCredential };
}

/** The client of an inbound that a path of the panel API names, by its key or its email. */
export function findByKey(state: PanelState, target: Target, key: string): Client | undefined {
  const credential = { id: key, password: key, auth: key };
  const number = state.byCredential.get(`${target.id}/${credentialKey(target.protocol, credential)}`);
  const byCredential = number === undefined ? undefined : state.clients.get(number);
  for (const client of [byCredential, clientIn(state, target.id, key)]) {
    if (client?.inbound !== target.id) continue;
    const own = clientKey(target.protocol, client);
    if (own.toLowerCase() === key.toLowerCase()) return client;
  }
  return undefined;
}
