import type { RecordedEvent } from '../catalog.js';
import type { UserId } from '../ids.js';

/** An access token. Times are in ms since 1970. */
export interface Token {
  readonly id: number;
  readonly name: string;
  /** The first characters of the secret. */
  readonly prefix: string;
  readonly role: string;
  readonly inbounds: readonly number[];
  /** The admin to whom it belongs; null = none. */
  readonly admin: UserId | null;
  /** 0 = never. */
  readonly expiresAt: number;
  /** Networks and addresses that may use it; empty = all. */
  readonly addresses: readonly string[];
  /** SHA-256 of the secret, hex. */
  readonly hash: string;
  /** The secret before the last rotation, and until when it is valid. */
  readonly previous: { readonly hash: string; readonly until: number } | null;
  readonly createdAt: number;
  readonly rotatedAt: number | null;
  /** The last recorded use. */
  readonly used: { readonly at: number; readonly ip: string | null } | null;
}

/** The access tokens. */
export interface TokenState {
  /** The tokens that were not revoked, by number. */
  readonly tokens: Map<number, Token>;
  /** The number of the token of each secret, by SHA-256. */
  readonly secrets: Map<string, number>;
  lastToken: number;
}

/** Applies one event. Events of other nouns are ignored. */
export function applyToToken(state: TokenState, event: RecordedEvent): void {
  const { tokens, secrets } = state;
  switch (event.type) {
    case 'TokenCreated': {
      const { token: id, label, secret, ...rest } = event.data;
      const times = { createdAt: event.meta.at, rotatedAt: null, used: null };
      tokens.set(id, { id, name: label.name, hash: secret.hash, previous: null, ...rest, ...times });
      secrets.set(secret.hash, id);
      state.lastToken = Math.max(state.lastToken, id);
      break;
    }
    case 'TokenChanged': {
      const { token: id, label, ...rest } = event.data;
      const token = tokens.get(id);
      if (token) tokens.set(id, { ...token, ...rest, name: label.name });
      break;
    }
    case 'TokenRotated': {
      const { token: id, prefix, secret, previousUntil: until } = event.data;
      const token = tokens.get(id);
      if (!token) break;
      if (token.previous) secrets.delete(token.previous.hash);
      const previous = { hash: token.hash, until };
      tokens.set(id, { ...token, prefix, hash: secret.hash, previous, rotatedAt: event.meta.at });
      secrets.set(secret.hash, id);
      break;
    }
    case 'TokenRevoked': {
      const token = tokens.get(event.data.token);
      if (!token) break;
      secrets.delete(token.hash);
      if (token.previous) secrets.delete(token.previous.hash);
      tokens.delete(token.id);
      break;
    }
    case 'TokenUsed': {
      const token = tokens.get(event.data.token);
      const { at, actor } = event.meta;
      if (token) tokens.set(token.id, { ...token, used: { at, ip: actor.ip } });
      break;
    }
    default:
  }
}

/** The token of a secret that is valid at `now`, or null. Its addresses are not checked. */
export function tokenOf({ tokens, secrets }: TokenState, hash: string, now: number): Token | null {
  const token = tokens.get(secrets.get(hash) ?? 0);
  if (!token || (token.expiresAt !== 0 && token.expiresAt <= now)) return null;
  return hash === token.hash || (token.previous?.hash === hash && now < token.previous.until) ? token : null;
}
