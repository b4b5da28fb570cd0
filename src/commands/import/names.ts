import { emailKey } from '../../events/client/client-document.js';
import { message, type Text } from '../../messages/message.js';
import type { XuiStats } from '../ports/xui-panel.js';
import { type JsonRecord, wellFormed } from './json.js';
import { type Notes, shown } from './report.js';

/** Limit of an email in characters, which leaves room for a numeric suffix. */
const MAX_NAME_CHARS = 240;

/** A client from the settings of its inbound. */
export interface Entry {
  readonly inbound: number;
  /** Its index in the inbound, from 1. */
  readonly place: number;
  readonly wire: JsonRecord;
  /** The original email. */
  readonly email: string;
  readonly subId: string;
}

/** The assigned name of a client, and the row with its counters and limits. */
export interface Named {
  readonly email: string;
  readonly row: XuiStats | null;
  /** Whether the bytes of the row count for this client: they count once for siblings. */
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
 * Assigns a unique name to each client. Clients with the same email and the same non-empty subscription id on several inbounds
 * are siblings and keep one name. Rows of counters without a client are reported as skipped.
 */
export function nameClients(entries: readonly Entry[], stats: readonly XuiStats[], notes: Notes): Map<Entry, Named> {
  const groups = groupsOf(entries);
  const rows = rowsOf(stats, groups, notes);
  const wanted = new Set(entries.map(({ email }) => emailKey(validPartOf(email))));
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
    const sound = validPartOf(keeper.email) || `client-${keeper.inbound}-${keeper.place}`;
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
  const taken = email.startsWith(validPartOf(entry.email) || '\n') && validPartOf(entry.email) === entry.email;
  const reason = message(taken ? 'import.renamedTaken' : 'import.renamedInvalid', { email: shown(email) });
  notes.changed('clients', clientItem(entry), reason);
}

type Group = [Entry, ...Entry[]];

/** Groups clients by the exact email. A client without an email is a separate group. */
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

/** The row of each email: one with the same spelling, otherwise an unassigned one that differs only by case. */
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

/** The valid part of an email; may be empty. */
function validPartOf(email: string): string {
  const whole = email.replace(/[\p{Cc}\u2028\u2029>]/gu, '_').trim();
  const text = wellFormed(whole.slice(0, MAX_NAME_CHARS)).trim();
  return /^portolan-|^erased-\d+$/i.test(text) ? `_${text}` : text;
}
