import { LRUCache } from 'lru-cache';
import { actorContext, type Box, close, type Stamp, type StoredMeta } from './codec.js';
import type { Keyring } from './keyring.js';

/** Actors that are remembered, with their box: sealing takes as long as the rest of an append. */
const MAX_ACTORS = 256;

/**
 * The actors of commands in their stored form. An account at an address is sealed once for each month, not for each command.
 * A person in a chat has no id outside of the box, so each of their boxes is another one: equal boxes would connect events.
 */
export class SealedActors {
  readonly #keyring: Keyring;
  readonly #known = new LRUCache<string, { readonly key: Buffer; readonly by: Box }>({ max: MAX_ACTORS });

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /** To be called inside the transaction that stores it, because it may create a key. */
  stored({ actor: { kind, id, name, ip, role, admin }, at }: Stamp): StoredMeta['actor'] {
    if (kind === 'system') return { kind, id, name };
    const inChat = kind === 'bot';
    const actor = {
      ...{ kind, id: inChat ? '' : id },
      ...(role === undefined ? {} : { role }),
      ...(admin === undefined ? {} : { admin }),
    };
    const month = new Date(at).toISOString().slice(0, 7);
    const values = inChat ? [name, ip, id] : [name, ip];
    const wanted = JSON.stringify([month, kind, id, name, ip]);
    // The key is another one after it was destroyed, or after the transaction that created it was rolled back.
    const key = this.#keyring.forSealing(`actors/${month}`);
    const known = this.#known.get(wanted);
    if (known?.key === key && !inChat) return { ...actor, by: known.by };
    const by = close(this.#keyring, `actors/${month}`, values, actorContext(actor));
    this.#known.set(wanted, { key, by });
    return { ...actor, by };
  }
}
