import type { ClientNumber } from '../../events/ids.js';
import { type Fold, foldOf } from '../../events/log/fold.js';

/** Clients for which a warning was sent. It is not sent again until their expiry, cap or counters change. */
interface WarnedOf {
  readonly expiry: Set<ClientNumber>;
  readonly cap: Set<ClientNumber>;
}

export const warnedOf: Fold<WarnedOf> = foldOf<WarnedOf>({
  name: 'chat-bot',
  version: 1,
  initial: () => ({ expiry: new Set(), cap: new Set() }),
  on: {
    ClientWarningsSent(state, { data }) {
      for (const client of data.expiring) state.expiry.add(client);
      for (const client of data.nearCap) state.cap.add(client);
    },
    ClientUpdated(state, { data: { client, changes } }) {
      if (changes.expiresAt !== undefined) state.expiry.delete(client);
      if (changes.capBytes !== undefined) state.cap.delete(client);
    },
    ClientRenewed: (state, { data }) => void state.expiry.delete(data.client),
    ClientExpiryStarted: (state, { data }) => void state.expiry.delete(data.client),
    ClientTrafficReset: (state, { data }) => void state.cap.delete(data.client),
    ClientTrafficAdjusted: (state, { data }) => void state.cap.delete(data.client),
    ClientDeleted(state, { data }) {
      state.expiry.delete(data.client);
      state.cap.delete(data.client);
    },
  },
});
