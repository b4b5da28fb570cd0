import type { Client } from '../../events/client/client-document.js';

/** A client as the panel API has it in `settings.clients`. */
type ApiClient = {
  id?: string;
  security: string;
  password?: string;
  flow: string;
  reverse?: { readonly tag: string };
  auth?: string;
  method?: string;
  email: string;
  limitIp: number;
  totalGB: number;
  expiryTime: number;
  enable: boolean;
  tgId: Client['identity']['tgId'];
  subId: string;
  comment: string;
  reset: number;
};

/**
 * A client for the panel API. Credentials that it does not have are left out. One member after another, in the order of the
 * reply: a literal with spreads takes ten times as long, and lists have thousands of clients.
 */
export function apiClient({ spec, identity, credential }: Client): ApiClient {
  const api: Partial<ApiClient> = {};
  if (credential.id !== '') api.id = credential.id;
  api.security = spec.security;
  if (credential.password !== '') api.password = credential.password;
  api.flow = spec.flow;
  if (spec.reverseTag !== '') api.reverse = { tag: spec.reverseTag };
  if (credential.auth !== '') api.auth = credential.auth;
  if (spec.method !== '') api.method = spec.method;
  api.email = identity.email;
  api.limitIp = spec.limitIp;
  api.totalGB = spec.capBytes;
  api.expiryTime = spec.expiresAt;
  api.enable = spec.enabled;
  api.tgId = identity.tgId;
  api.subId = identity.subId;
  api.comment = identity.comment;
  api.reset = spec.renewalDays;
  return api as ApiClient;
}
