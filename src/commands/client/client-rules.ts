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
import type { Counter } from '../../events/counters.js';
import { ClientNumber, type InboundId } from '../../events/ids.js';
import type { InboundConfig, Protocol } from '../../events/inbound/inbound.js';
import { DataKeyDestroyed } from '../../events/panel.js';
import { keptName } from '../../lib/identifiers.js';
import { sameJson } from '../../lib/json.js';
import { readMark } from '../../lib/ownership-mark.js';
import { Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { unblocked } from '../traffic/ip-limit.js';
import { type ClientDraft, clientKey, clientProblem, credentialKey } from './credentials.js';
import { depletionOf, verdictOn } from './limits.js';
import { clientIn, clientsNamed, deletions, transferUsage, usedTogether, usedUnder } from './siblings.js';

/** The inbound that clients join, as it will be after the command. */
export interface Target {
  readonly id: InboundId;
  readonly protocol: Protocol;
  readonly config: InboundConfig;
}

/** Names and credentials that the clients before in the same request already took. */
class Taken {
  readonly #emails = new Set<string>();
  readonly #credentials = new Map<string, string>();

  /** Why `draft` cannot stand beside the clients of the panel (except `self`) and those of this request. */
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
 * One email is one person: it may stand in several inbounds, once in each, and the subscription id says that it is the same
 * person in all of them.
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

/** The draft with the one spelling of its email; `stored` is the email that the client has already. */
function named(draft: ClientDraft, stored = ''): ClientDraft {
  const email = keptName(draft.identity.email, stored);
  return email === draft.identity.email ? draft : { ...draft, identity: { ...draft.identity, email } };
}

/** All of the clients, or the first problem among them. */
export function addClients(
  state: PanelState,
  target: Target,
  drafts: readonly ClientDraft[],
  taken = new Taken(),
): PanelEvent[] | Rejection {
  const events: PanelEvent[] = [];
  let number = state.lastClient;
  for (const asked of drafts) {
    const draft = named(asked);
    const problem =
      clientProblem(target.protocol, target.config.settings, draft) ?? taken.problem(state, target, draft);
    if (problem) return problem;
    number += 1;
    const client = ClientNumber.parse(number);
    events.push(ClientAdded({ client, inbound: target.id, keyVersion: 1, ...draft }));
    // Who joins siblings has used what they used.
    const siblings = clientsNamed(state, draft.identity.email);
    const depletion = depletionOf(draft.spec.capBytes, 0, usedTogether(state, siblings), 0);
    if (depletion) events.push(ClientDepleted({ client, depletion }));
  }
  return events;
}

/** What makes `client` into `draft`: only what differs, and whether it may connect again. */
export function changeClient(
  state: PanelState,
  target: Target,
  client: Client,
  asked: ClientDraft,
  now: number,
  taken = new Taken(),
): PanelEvent[] | Rejection {
  const draft = named(asked, client.identity.email);
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
    // A rotation keeps the name: a replay, which has lost the name of the life before, takes it from here.
    const kept = renamed ? { ...identity, email: client.identity.email } : identity;
    const rotated = ClientCredentialRotated({ client: client.number, keyVersion, identity: kept, credential });
    events.push(rotated, DataKeyDestroyed({ key: `client:${client.number}/${client.keyVersion}`, reason: 'rotated' }));
    if (renamed)
      events.push(ClientIdentityChanged({ client: client.number, keyVersion, emailChanged: renamed, identity }));
  } else if (!sameJson(client.identity, identity)) {
    events.push(
      ClientIdentityChanged({ client: client.number, keyVersion: client.keyVersion, emailChanged: renamed, identity }),
    );
  }
  const next: Client = { ...client, spec: draft.spec };
  const used = usedUnder(state, client, identity.email);
  // What it brings along under another email counts for those who have that email as well.
  const joined = renamed ? clientsNamed(state, identity.email) : [];
  const others = joined.flatMap((one) => judgedClient(one, used, now));
  // What its centre says of a client counts: it is the centre's log that keeps what expired.
  const afresh = changes.enabled === true || readMark('', identity.comment).number !== 0;
  return [...events, ...judgedClient(next, used, now, afresh), ...others];
}

/**
 * Nothing, or that a client may connect no more under its terms, when so much is used, or for another reason than before, or
 * that it may again. `afresh`: see `verdictOn`.
 */
export function judgedClient(client: Client, used: Counter, now: number, afresh = false): PanelEvent[] {
  const { number, depletion, spec } = client;
  const verdict = verdictOn({ ...spec, depletion }, used, now, afresh);
  if (verdict === 'restored') return [ClientReactivated({ client: number })];
  // A term that renews itself ends with the next poll: nobody is shut out by it who was shut out already.
  const passing = depletion !== null && verdict?.reason === 'expiry' && spec.renewalDays > 0;
  return verdict === null || passing ? [] : [ClientDepleted({ client: number, depletion: verdict })];
}

function changedSpec(before: ClientSpec, after: ClientSpec): Partial<ClientSpec> {
  const keys = Object.keys(after) as (keyof ClientSpec)[];
  return Object.fromEntries(keys.filter((key) => before[key] !== after[key]).map((key) => [key, after[key]]));
}

/**
 * An inbound's whole list of clients replaced: those with a known email are changed, the others added, and those that
 * are no longer named are deleted.
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
  const gone = current.filter((client) => !named.has(emailKey(client.identity.email)));
  const events = deletions(state, gone);

  // Deleted clients give their ids back before the others are looked at.
  const rest = gone.length === 0 ? state : withoutClients(state, target, gone);
  const taken = new Taken();
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

function withoutClients(state: PanelState, target: Target, gone: readonly Client[]): PanelState {
  const byCredential = new Map(state.byCredential);
  for (const client of gone) byCredential.delete(`${target.id}/${credentialKey(target.protocol, client.credential)}`);
  return { ...state, byCredential };
}

/** The client that a path of the panel API names inside an inbound, by its key, then by its email. */
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
