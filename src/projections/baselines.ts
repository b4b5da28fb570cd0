import { emailKey } from '../events/client-document.js';
import { type Counter, zero } from '../events/counters.js';
import { type Fold, pairs } from '../events/fold.js';

/**
 * How far each counter of the running core has been recorded. A run's counters begin at zero and every growth is an
 * event, so the sum over the run is the counter's last recorded value, also after a crash of the panel.
 */
export interface Baselines {
  run: string | null;
  readonly clients: Map<string, Counter>;
  readonly inbounds: Map<string, Counter>;
  readonly outbounds: Map<string, Counter>;
  /** The names under which the core counts now. */
  readonly emails: Map<number, string>;
  readonly tags: Map<number, string>;
}

interface Saved {
  run: string | null;
  clients: [string, Counter][];
  inbounds: [string, Counter][];
  outbounds: [string, Counter][];
  emails: [number, string][];
  tags: [number, string][];
}

export const baselines: Fold<Baselines> = {
  name: 'baselines',
  version: 1,
  initial: () => ({
    run: null,
    clients: new Map(),
    inbounds: new Map(),
    outbounds: new Map(),
    emails: new Map(),
    tags: new Map(),
  }),
  apply(state, event) {
    switch (event.type) {
      case 'CoreStarted':
        if (event.data.run === state.run) break; // the same run, taken over
        state.run = event.data.run;
        for (const counters of [state.clients, state.inbounds, state.outbounds]) counters.clear();
        break;
      case 'TrafficRecorded':
        if (event.data.run !== state.run) break;
        for (const [client, up, down] of event.data.clients) grow(state.clients, state.emails.get(client), up, down);
        for (const [inbound, up, down] of event.data.inbounds) grow(state.inbounds, state.tags.get(inbound), up, down);
        for (const [tag, up, down] of event.data.outbounds) grow(state.outbounds, tag, up, down);
        break;
      case 'ClientAdded':
      case 'ClientIdentified':
        state.emails.set(event.data.client, emailKey(event.data.identity.email));
        break;
      case 'ClientCredentialRotated': {
        // The name stays. If another stood here until now, a replay met what is left of a destroyed life.
        const name = emailKey(event.data.identity.email);
        rename(state.clients, state.emails.get(event.data.client), name);
        state.emails.set(event.data.client, name);
        break;
      }
      case 'ClientDeleted':
        state.emails.delete(event.data.client);
        break;
      case 'InboundAdded':
        state.tags.set(event.data.inbound, event.data.spec.tag);
        break;
      case 'InboundUpdated':
        if (event.data.changes.tag !== undefined) state.tags.set(event.data.inbound, event.data.changes.tag);
        break;
      case 'InboundDeleted':
        state.tags.delete(event.data.inbound);
        break;
      default:
    }
  },
  save: ({ run, ...state }) => ({
    run,
    clients: pairs(state.clients),
    inbounds: pairs(state.inbounds),
    outbounds: pairs(state.outbounds),
    emails: pairs(state.emails),
    tags: pairs(state.tags),
  }),
  load: (saved: Saved) => ({
    run: saved.run,
    clients: new Map(saved.clients),
    inbounds: new Map(saved.inbounds),
    outbounds: new Map(saved.outbounds),
    emails: new Map(saved.emails),
    tags: new Map(saved.tags),
  }),
};

function rename(counters: Map<string, Counter>, from: string | undefined, to: string): void {
  const counter = from === undefined || from === to ? undefined : counters.get(from);
  if (from === undefined || !counter) return;
  counters.delete(from);
  grow(counters, to, counter.up, counter.down);
}

function grow(counters: Map<string, Counter>, name: string | undefined, up: number, down: number): void {
  if (name === undefined) return;
  const before = counters.get(name) ?? zero;
  counters.set(name, { up: before.up + up, down: before.down + down });
}
