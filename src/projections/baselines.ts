import { emailKey } from '../events/client-document.js';
import { type Counter, sumOf, zero } from '../events/counters.js';
import { type Fold, pairs } from '../events/fold.js';
import { ManyMap } from '../lib/many-map.js';

/**
 * How far each counter of the running core has been recorded. A run's counters begin at zero and every growth is an
 * event, so the sum over the run is the counter's last recorded value, also after a crash of the panel.
 *
 * The core counts by name, the log by client number. A *spell* is one client under one name; the bytes of a name are those
 * of all its spells in this run. Names can be destroyed with their key, the bytes of a spell cannot.
 */
export interface Baselines {
  run: string | null;
  /** Bytes by spell. */
  readonly spells: Map<string, Counter>;
  /** The spell of each client now. */
  readonly current: Map<number, string>;
  /** The name in each spell, lower case; a spell before a rotation or an erasure has none. */
  readonly names: Map<string, string>;
  readonly inbounds: Map<string, Counter>;
  readonly outbounds: Map<string, Counter>;
  /** The tags under which the core counts now. */
  readonly tags: Map<number, string>;
  /** Spells by name, and spells with a name by client; both follow from `names`. */
  readonly byName: ManyMap<string, string>;
  readonly named: ManyMap<number, string>;
  /** What `recordedOf` said of a name, until one of its spells changes: every name is asked for in each poll. */
  readonly sums: Map<string, Counter>;
}

interface Saved {
  run: string | null;
  spells: [string, Counter][];
  current: [number, string][];
  names: [string, string][];
  inbounds: [string, Counter][];
  outbounds: [string, Counter][];
  tags: [number, string][];
}

function initial(): Baselines {
  return {
    run: null,
    spells: new Map(),
    current: new Map(),
    names: new Map(),
    inbounds: new Map(),
    outbounds: new Map(),
    tags: new Map(),
    byName: new ManyMap(),
    named: new ManyMap(),
    sums: new Map(),
  };
}

export const baselines: Fold<Baselines> = {
  name: 'baselines',
  version: 2,
  initial,
  apply(state, event) {
    switch (event.type) {
      case 'CoreStarted':
        if (event.data.run !== state.run) begin(state, event.data.run); // else the same run, taken over
        break;
      case 'TrafficRecorded':
        if (event.data.run !== state.run) break;
        for (const [client, up, down] of event.data.clients) count(state, state.current.get(client), up, down);
        for (const [inbound, up, down] of event.data.inbounds) grow(state.inbounds, state.tags.get(inbound), up, down);
        for (const [tag, up, down] of event.data.outbounds) grow(state.outbounds, tag, up, down);
        break;
      case 'ClientAdded':
        enter(state, event.data.client, 1, event.data.identity.email);
        break;
      case 'ClientIdentified':
        if (event.data.renamed) enter(state, event.data.client, event.position, event.data.identity.email);
        break;
      case 'ClientCredentialRotated':
        forgetNames(state, event.data.client);
        setName(state, state.current.get(event.data.client), event.data.identity.email);
        break;
      case 'ClientTrafficInherited':
        bequeath(state, event.data.from, event.data.client);
        break;
      case 'ClientDeleted':
        state.current.delete(event.data.client);
        break;
      case 'KeyShredded': {
        // What a replay cannot read any more is forgotten here too. A rotation has set the name anew.
        const client = /^client:(\d+)\/\d+$/.exec(event.data.key)?.[1];
        if (client !== undefined && event.data.reason === 'erased') forgetNames(state, Number(client));
        break;
      }
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
  save: ({ run, spells, current, names, inbounds, outbounds, tags }) => ({
    run,
    spells: pairs(spells),
    current: pairs(current),
    names: pairs(names),
    inbounds: pairs(inbounds),
    outbounds: pairs(outbounds),
    tags: pairs(tags),
  }),
  load(saved: Saved) {
    const state: Baselines = {
      ...initial(),
      run: saved.run,
      spells: new Map(saved.spells),
      current: new Map(saved.current),
      inbounds: new Map(saved.inbounds),
      outbounds: new Map(saved.outbounds),
      tags: new Map(saved.tags),
    };
    for (const [spell, name] of saved.names) setName(state, spell, name);
    return state;
  },
};

/** What is recorded of the counter that the core keeps under this email. */
export function recordedOf(state: Baselines, email: string): Counter {
  const name = emailKey(email);
  const known = state.sums.get(name);
  if (known) return known;
  const spells = state.byName.get(name);
  // What the core counts and nobody here has a name for is asked for again and again, and is not remembered.
  if (spells.length === 0) return zero;
  const counters = spells.map((spell) => state.spells.get(spell) ?? zero);
  const [only] = counters;
  const sum = only && counters.length === 1 ? only : sumOf(counters);
  state.sums.set(name, sum);
  return sum;
}

/** Counters are at zero again, and only the spells that go on matter. */
function begin(state: Baselines, run: string): void {
  state.run = run;
  for (const counters of [state.spells, state.sums, state.inbounds, state.outbounds]) counters.clear();
  const now = new Set(state.current.values());
  for (const spell of [...state.names.keys()]) if (!now.has(spell)) clearName(state, spell);
}

function enter(state: Baselines, client: number, since: number, email: string): void {
  const before = state.current.get(client);
  // A spell in which nothing was counted leaves nothing behind.
  if (before !== undefined && !state.spells.has(before)) clearName(state, before);
  const spell = `${client}/${since}`;
  state.current.set(client, spell);
  setName(state, spell, email);
}

/**
 * The core goes on counting under the name that the heir has too, while the key that seals the name of the other may be
 * destroyed: its bytes of this run become the heir's.
 */
function bequeath(state: Baselines, from: number, heir: number): void {
  const spell = state.current.get(from);
  const counted = spell === undefined ? undefined : state.spells.get(spell);
  if (spell === undefined || counted === undefined) return;
  state.spells.delete(spell);
  forgetSum(state, spell);
  count(state, state.current.get(heir), counted.up, counted.down);
}

function setName(state: Baselines, spell: string | undefined, email: string): void {
  if (spell === undefined) return;
  clearName(state, spell);
  const name = emailKey(email);
  state.names.set(spell, name);
  state.sums.delete(name);
  state.byName.put(name, spell);
  state.named.put(clientOf(spell), spell);
}

function clearName(state: Baselines, spell: string): void {
  const name = state.names.get(spell);
  if (name === undefined) return;
  state.names.delete(spell);
  state.sums.delete(name);
  state.byName.take(name, spell);
  state.named.take(clientOf(spell), spell);
}

function forgetNames(state: Baselines, client: number): void {
  for (const spell of state.named.get(client)) clearName(state, spell);
}

function clientOf(spell: string): number {
  return Number.parseInt(spell, 10);
}

function count(state: Baselines, spell: string | undefined, up: number, down: number): void {
  if (spell === undefined) return;
  grow(state.spells, spell, up, down);
  forgetSum(state, spell);
}

/** Of the name of this spell. */
function forgetSum(state: Baselines, spell: string): void {
  const name = state.names.get(spell);
  if (name !== undefined) state.sums.delete(name);
}

function grow(counters: Map<string, Counter>, name: string | undefined, up: number, down: number): void {
  if (name === undefined) return;
  const before = counters.get(name) ?? zero;
  counters.set(name, { up: before.up + up, down: before.down + down });
}
