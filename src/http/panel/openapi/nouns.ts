import type { tables } from '../contract/index.js';

interface Noun {
  readonly tag: string;
  readonly description: string;
}

const auth = { tag: 'Login', description: 'Login and logout.' };
const inbounds = { tag: 'Inbounds', description: 'Inbounds and their clients.' };
const server = { tag: 'Server', description: 'The machine, the core process, versions, keys and logs.' };
const settings = { tag: 'Settings', description: 'Settings of the panel, and the account of the admin.' };
const core = { tag: 'Core settings', description: 'The template of the core, its outbounds and providers.' };
const geo = { tag: 'Custom geo', description: 'Custom lists of addresses and domains for routing rules.' };
const nodes = { tag: 'Nodes', description: 'Remote panels that this one manages.' };
const cluster = { tag: 'Cluster', description: 'The members of the cluster, and the copies of its log.' };
const events = { tag: 'Events', description: 'The event log, for other programs.' };
const proof = { tag: 'Proof', description: 'Signed heads of the log, and proofs for outsiders.' };
const access = { tag: 'Access', description: 'Admins, their roles, and what they may do.' };
const personal = { tag: 'Personal data', description: 'Requests of people about their data, and legal holds.' };
const webhooks = { tag: 'Webhooks', description: 'Events for other programs, sent to them.' };
const docs = { tag: 'Documents', description: 'This description of the API.' };

/** The tag and the description of each table. */
export const nouns: Readonly<Record<keyof typeof tables, Noun>> = {
  auth,
  passkeys: auth,
  clients: inbounds,
  clientList: inbounds,
  clientWhy: inbounds,
  clientStatement: inbounds,
  inboundForms: inbounds,
  inbounds,
  server,
  attention: server,
  histories: server,
  coreControl: server,
  keygen: server,
  logs: server,
  versions: server,
  database: server,
  restore: server,
  backupToChat: server,
  settings,
  settingsApi: settings,
  settingDetails: settings,
  account: settings,
  factors: settings,
  admins: access,
  adminSessions: access,
  roles: access,
  tokens: access,
  metrics: server,
  panel: settings,
  panelApi: settings,
  coreSettings: core,
  coreSettingsApi: core,
  customGeo: geo,
  nodes,
  cluster,
  events,
  undo: events,
  audit: events,
  diff: events,
  recount: events,
  capsule: events,
  personalData: personal,
  webhooks,
  proof,
  apiDocs: docs,
};
