import { emailKey } from '../../events/client/client-document.js';
import { message, type Text } from '../../messages/message.js';
import type { XuiStats } from '../ports/xui-panel.js';
import { type JsonRecord, wellFormed } from './json.js';
import { type Notes, shown } from './report.js';

/** Characters of an email, with room for a number behind it. */
const LONGEST = 240;

/** A client as the settings of its inbound have it. */
export interface Entry {
  readonly inbound: number;
  /** In its inbound, from 1. */
  readonly place: number;
  readonly wire: JsonRecord;
  /** As it stands there. */
  readonly email: string;
  readonly subId: string;
}

/** What a client is called here, and the row that its counters and limits are in. */
export interface Named {
  readonly email: string;
  readonly row: XuiStats | null;
  /** Whether the bytes of the row are its own: clients of several inbounds that are one person have them once. */
  readonly counts: boolean;
}

/** A client in the report. */
export const clientItem = ({ email, inbound }: Pick<Entry, 'email' | 'inbound'>): Text => {
  const name = shown(email);
  return name === ''
    ? message('import.clientNoEmail', { inbound })
    : message('import.client', { email: name, inbound });
};

/**
 * Gives each client a name that no other has. One email may stand in several inbounds where the subscription id is the
 * same and not empty: that is one person. Rows of counters that belong to nobody are noted as left out.
 */
export function nameClients(entries: readonly Entry[], stats: readonly XuiStats[], notes: Notes): Map<Entry, Named> {
  const groups = groupsOf(entries);
  const rows = rowsOf(stats, groups, notes);
  const wanted = new Set(entries.map(({ email }) => emailKey(soundEmail(email))));
  const taken = new Set<string>();
  const last = new Map<string, number>();
  const fresh = (base: string): string => {
    for (let n = (last.get(base) ?? 1) + 1; ; n += 1) {
      const name = `${base}_${n}`;
      if (taken.has(emailKey(name)) || wanted.has(emailKey(name))) continue;
      last.set(base, n);
      return name;
    }
  };
  const named = new Map<Entry, Named>();
  for (const [first, ...others] of groups.values()) {
    const row = rows.get(first.email) ?? null;
    const keeper = [first, ...others].find(({ inbound }) => inbound === row?.inboundId) ?? first;
    const sound = soundEmail(keeper.email) || `client-${keeper.inbound}-${keeper.place}`;
    const email = taken.has(emailKey(sound)) ? fresh(sound) : sound;
    taken.add(emailKey(email));
    named.set(keeper, { email, row, counts: true });
    renamed(notes, keeper, email);
    const inbounds = new Set([keeper.inbound]);
    for (const entry of [first, ...others]) {
      if (entry === keeper) continue;
      const onePerson = entry.subId !== '' && entry.subId === keeper.subId && !inbounds.has(entry.inbound);
      inbounds.add(entry.inbound);
      const own = onePerson ? email : fresh(sound);
      taken.add(emailKey(own));
      named.set(entry, { email: own, row: onePerson ? row : null, counts: false });
      renamed(notes, entry, own);
    }
  }
  return named;
}

function renamed(notes: Notes, entry: Entry, email: string): void {
  if (email === entry.email) return;
  const taken = email.startsWith(soundEmail(entry.email) || '\n') && soundEmail(entry.email) === entry.email;
  const reason = message(taken ? 'import.renamedTaken' : 'import.renamedInvalid', { email: shown(email) });
  notes.changed('clients', clientItem(entry), reason);
}

type Group = [Entry, ...Entry[]];

/** By email as it is spelled; those without one stand alone. */
function groupsOf(entries: readonly Entry[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const entry of entries) {
    const key = entry.email === '' ? `\n${entry.inbound}/${entry.place}` : entry.email;
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}

/** The row of each email: that of the same spelling, else one that differs only by case and is nobody else's. */
function rowsOf(stats: readonly XuiStats[], groups: ReadonlyMap<string, Group>, notes: Notes): Map<string, XuiStats> {
  const byKey = new Map<string, string>();
  for (const email of groups.keys()) if (!byKey.has(emailKey(email))) byKey.set(emailKey(email), email);
  const rows = new Map<string, XuiStats>();
  const rest: XuiStats[] = [];
  for (const row of stats) {
    if (groups.has(row.email) && !rows.has(row.email)) rows.set(row.email, row);
    else rest.push(row);
  }
  for (const row of rest) {
    const { email, up, down } = row;
    const alike = byKey.get(emailKey(email));
    if (alike !== undefined && email !== alike && !rows.has(alike)) {
      rows.set(alike, row);
      const item = message('import.counters', { email: shown(email) });
      notes.noted('client_traffics', item, message('import.countersUsed', { email: shown(alike) }));
      continue;
    }
    const why = message(groups.has(email) ? 'import.countersDuplicate' : 'import.countersOrphan');
    notes.dropped('client_traffics', message('import.countersRow', { email: shown(email), row: row.id }), why);
    notes.lost({ clientUp: up, clientDown: down });
  }
  return rows;
}

/** The email as far as it can be one here; empty when nothing of it can. */
function soundEmail(email: string): string {
  const whole = email.replace(/[\p{Cc}\u2028\u2029>]/gu, '_').trim();
  const text = wellFormed(whole.slice(0, LONGEST)).trim();
  return /^portolan-|^erased-\d+$/i.test(text) ? `_${text}` : text;
}
