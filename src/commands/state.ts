import { type AccessState, evolveAccess, noAccess } from '../events/access/access-document.js';
import type { RecordedEvent } from '../events/catalog.js';
import { type CertificateStatuses, evolveCertificates } from '../events/certificate-status.js';
import { type Client, evolveClients } from '../events/client/client-document.js';
import { EmailIndex } from '../events/client/email-index.js';
import { type ClusterMembers, evolveMembers } from '../events/cluster-document.js';
import { evolveGeoSources, type GeoSource } from '../events/geo/geo-document.js';
import type { ClientNumber, GeoSourceId, InboundId, NodeId } from '../events/ids.js';
import { evolveInbounds, type Inbound } from '../events/inbound/inbound-document.js';
import { evolveIpBlocks, type IpBlock } from '../events/ip-limit-document.js';
import type { Fold } from '../events/log/fold.js';
import { evolveNodes, type Node } from '../events/node/node-document.js';
import { evolveProofs, noProofs, type Proofs } from '../events/proof/proof-document.js';
import { defaultSettings, type SecretKey, type Settings } from '../events/settings/settings.js';
import { type Counters, evolveCounters, noCounters } from '../events/traffic/counters.js';
import { evolveWebhooks, noWebhooks, type Webhooks } from '../events/webhook/webhook-document.js';
import { DueQueue } from '../lib/due-queue.js';
import type { Text } from '../messages/message.js';
import { credentialKey } from './client/credentials.js';
import { nextDue } from './client/limits.js';
import { type CoreRunState, evolveCore } from './core-run.js';
import { evolveRefused } from './refused-inbounds.js';
import { evolveRetention, type RetentionState, rememberKeys } from './retention-state.js';
import { evolveUndos, type Undos } from './undo/undone.js';
import { evolveUsers, type UsersState } from './users.js';

/**
 * The state that deciders use: a fold of the whole log. It is always current, because deciding, appending and folding are one
 * synchronous step and the bus is the only writer. Rules across streams (port, email, tag, next number) are checked here.
 */
export interface PanelState extends UsersState, RetentionState {
  readonly inbounds: Map<InboundId, Inbound>;
  readonly clients: Map<ClientNumber, Client>;
  readonly clientsOf: Map<InboundId, Set<ClientNumber>>;
  readonly byEmail: EmailIndex;
  /** `inbound/credential key` → client. */
  readonly byCredential: Map<string, ClientNumber>;
  readonly counters: Counters;
  /** When each client must be judged next because of its expiry. */
  readonly due: DueQueue<ClientNumber>;
  /** The client to which a client's traffic was transferred when it left their email. Later counts go there as well. */
  readonly transferredTo: Map<ClientNumber, ClientNumber>;
  /** The blocked addresses of each client. */
  readonly ipBlocks: Map<ClientNumber, IpBlock>;
  readonly webhooks: Webhooks;
  readonly access: AccessState;
  readonly nodes: Map<NodeId, Node>;
  readonly geoSources: Map<GeoSourceId, GeoSource>;
  settings: Settings;
  readonly secrets: Map<SecretKey, { readonly value: string; readonly keyVersion: number }>;
  apiToken: { readonly token: string; readonly keyVersion: number } | null;
  template: {
    readonly template: Readonly<Record<string, unknown>>;
    readonly url: string;
    readonly keyVersion: number;
  } | null;
  members: ClusterMembers;
  core: CoreRunState;
  /** Inbounds that the core rejects, with the reason. */
  refused: Map<InboundId, Text>;
  certificates: CertificateStatuses;
  readonly proofs: Proofs;
  readonly undos: Undos;
  lastInbound: number;
  lastClient: number;
  lastNode: number;
  lastGeoSource: number;
}

function initial(): PanelState {
  return {
    inbounds: new Map(),
    clients: new Map(),
    clientsOf: new Map(),
    byEmail: new EmailIndex(),
    byCredential: new Map(),
    counters: noCounters(),
    due: new DueQueue(),
    transferredTo: new Map(),
    ipBlocks: new Map(),
    erasable: new Map(),
    holds: new Map(),
    lastHold: 0,
    webhooks: noWebhooks(),
    users: new Map(),
    factors: new Map(),
    access: noAccess(),
    nodes: new Map(),
    geoSources: new Map(),
    settings: defaultSettings,
    secrets: new Map(),
    usedCodes: new Map(),
    apiToken: null,
    template: null,
    members: new Map(),
    core: { runs: new Map(), wanted: true },
    refused: new Map(),
    certificates: {},
    proofs: noProofs(),
    undos: new Map(),
    lastInbound: 0,
    lastClient: 0,
    lastNode: 0,
    lastGeoSource: 0,
    rolledTo: 0,
  };
}

export const panelState: Fold<PanelState> = {
  name: 'state',
  version: 19,
  initial,
  apply(state, event) {
    evolveWithoutCounters(state, event);
    evolveCounters(state.counters, event);
  },
  /** Without the indexes, which are derived. */
  save: (state) => ({ ...state, clientsOf: null, byEmail: null, byCredential: null, due: null }),
  load(saved: PanelState) {
    const { clientsOf, byEmail, byCredential, due } = initial();
    const settings = { ...defaultSettings, ...saved.settings };
    const state: PanelState = { ...saved, settings, clientsOf, byEmail, byCredential, due };
    for (const id of state.inbounds.keys()) state.clientsOf.set(id, new Set());
    for (const client of state.clients.values()) {
      state.clientsOf.get(client.inbound)?.add(client.number);
      addToIndexes(state, client);
      state.due.set(client.number, nextDue(client));
    }
    return state;
  },
};

/** Every part of the state but the counters, on which none of them depends. */
export function evolveWithoutCounters(state: PanelState, event: RecordedEvent): void {
  rememberKeys(state, event);
  unindex(state, event);
  evolveInbounds(state.inbounds, event);
  evolveClients(state.clients, event);
  evolveIpBlocks(state.ipBlocks, event);
  index(state, event);
  evolveDue(state, event);
  evolveNodes(state.nodes, event);
  evolveGeoSources(state.geoSources, event);
  evolveWebhooks(state.webhooks, event);
  state.certificates = evolveCertificates(state.certificates, event);
  evolveProofs(state.proofs, event);
  evolveUndos(state.undos, event);
  evolveRetention(state, event);
  evolveTransfers(state, event);
  evolveSettings(state, event);
  evolveUsers(state, event);
  evolveAccess(state.access, event);
  evolveLastNumbers(state, event);
  evolveRefused(state.refused, event);
  state.core = evolveCore(state.core, event);
  state.members = evolveMembers(state.members, event);
}

function addToIndexes(state: PanelState, client: Client): void {
  state.byEmail.add(client.identity.email, client.number);
  const key = credentialSlot(state, client);
  if (key) state.byCredential.set(key, client.number);
}

function removeFromIndexes(state: PanelState, client: Client): void {
  state.byEmail.remove(client.identity.email, client.number);
  const key = credentialSlot(state, client);
  if (key && state.byCredential.get(key) === client.number) state.byCredential.delete(key);
}

/** The key of a client in `byCredential`; null = it has no credential. */
export function credentialSlot(state: PanelState, client: Client): string | null {
  const inbound = state.inbounds.get(client.inbound);
  const key = inbound && credentialKey(inbound.protocol, client.credential);
  return key ? `${client.inbound}/${key}` : null;
}

const reindexing = new Set(['ClientIdentityChanged', 'ClientCredentialRotated', 'ClientDeleted', 'InboundUpdated']);

function affected(state: PanelState, event: RecordedEvent): readonly Client[] {
  if (!reindexing.has(event.type)) return [];
  if (event.type === 'InboundUpdated') {
    // Another protocol uses another part of the credential.
    if (event.data.changes.protocol === undefined) return [];
    const numbers = state.clientsOf.get(event.data.inbound) ?? new Set<ClientNumber>();
    return [...numbers].flatMap((number) => state.clients.get(number) ?? []);
  }
  const client = state.clients.get((event.data as { client: ClientNumber }).client);
  return client ? [client] : [];
}

function unindex(state: PanelState, event: RecordedEvent): void {
  for (const client of affected(state, event)) removeFromIndexes(state, client);
  if (event.type === 'ClientDeleted') {
    const client = state.clients.get(event.data.client);
    if (client) state.clientsOf.get(client.inbound)?.delete(client.number);
  }
  if (event.type === 'InboundDeleted') state.clientsOf.delete(event.data.inbound);
}

function index(state: PanelState, event: RecordedEvent): void {
  if (event.type === 'InboundAdded') {
    state.clientsOf.set(event.data.inbound, new Set());
    state.lastInbound = Math.max(state.lastInbound, event.data.inbound);
  } else if (event.type === 'ClientAdded') {
    const client = state.clients.get(event.data.client);
    if (client) {
      state.clientsOf.get(client.inbound)?.add(client.number);
      addToIndexes(state, client);
    }
    state.lastClient = Math.max(state.lastClient, event.data.client);
  } else {
    for (const client of affected(state, event)) addToIndexes(state, client);
  }
}

function evolveDue({ clients, due }: PanelState, event: RecordedEvent): void {
  if (!('client' in event.data)) return;
  const client = clients.get(event.data.client);
  due.set(event.data.client, client ? nextDue(client) : null);
}

function evolveTransfers(state: PanelState, event: RecordedEvent): void {
  switch (event.type) {
    case 'ClientTrafficTransferred':
      state.transferredTo.set(event.data.fromClient, event.data.client);
      break;
    case 'ClientIdentityChanged':
      // Under another email its later usage is its own.
      if (event.data.emailChanged) state.transferredTo.delete(event.data.client);
      break;
    default:
  }
}

function evolveSettings(state: PanelState, event: RecordedEvent): void {
  switch (event.type) {
    case 'SettingsChanged':
      state.settings = { ...state.settings, ...(event.data.changes as Partial<Settings>) };
      break;
    case 'SecretSettingChanged': {
      const { key, keyVersion, secret } = event.data;
      state.secrets.set(key, { value: secret.value, keyVersion });
      break;
    }
    case 'ApiTokenIssued':
      state.apiToken = { token: event.data.secret.token, keyVersion: event.data.keyVersion };
      break;
    case 'CoreTemplateChanged': {
      const { template, outboundTestUrl, keyVersion } = event.data;
      state.template = { template, url: outboundTestUrl, keyVersion };
      break;
    }
    default:
  }
}

function evolveLastNumbers(state: PanelState, event: RecordedEvent): void {
  switch (event.type) {
    case 'NodeAdded':
      state.lastNode = Math.max(state.lastNode, event.data.node);
      break;
    case 'GeoSourceAdded':
      state.lastGeoSource = Math.max(state.lastGeoSource, event.data.source);
      break;
    default:
  }
}
