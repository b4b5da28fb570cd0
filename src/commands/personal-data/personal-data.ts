import type { PanelEvent } from '../../events/catalog.js';
import { type ClientNumber, HoldId } from '../../events/ids.js';
import type { Caused } from '../../events/log/event.js';
import { DataKeyDestroyed } from '../../events/panel.js';
import { holdOnClient, type LegalHold } from '../../events/personal-data/hold-document.js';
import {
  LegalHoldPlaced,
  LegalHoldReleased,
  PersonalDataErased,
  PersonalDataExported,
} from '../../events/personal-data/personal-data.js';
import { deletions, siblingsOf } from '../client/siblings.js';
import type { Command, Decider } from '../command.js';
import { type Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';

export type PersonalDataCommand =
  /** `clients` empty = everything in the period. Times in ms, 0 = open. */
  | Command<
      'PlaceLegalHold',
      { readonly clients: readonly number[]; readonly from: number; readonly to: number; readonly reason: string }
    >
  | Command<'ReleaseLegalHold', { readonly hold: number; readonly reason: string }>
  /** Clients that exist are deleted, with all that share their email. */
  | Command<'EraseClients', { readonly clients: readonly number[]; readonly reason: string }>
  | Command<'RecordPersonalDataExport', Parameters<typeof PersonalDataExported>[0]>;

/** Characters of a reason. */
const MAX_REASON = 1000;
const MAX_HOLDS = 1000;

export const personalData: Decider<PersonalDataCommand> = {
  PlaceLegalHold({ clients, from, to, reason }, state, { now }) {
    if (reason.trim() === '') return reject('REASON_MISSING');
    if (reason.length > MAX_REASON) return reject('REASON_TOO_LONG', { most: MAX_REASON });
    if (clients.length === 0 && from === 0 && to === 0) return reject('HOLD_WITHOUT_SUBJECT');
    if (to !== 0 && to < from) return reject('HOLD_REVERSED');
    if (from > now) return reject('HOLD_IN_FUTURE');
    if (state.holds.size >= MAX_HOLDS) return reject('HOLDS_FULL', { most: MAX_HOLDS });
    const held = named(state, clients);
    if (!Array.isArray(held)) return held;
    const hold = HoldId.parse(state.lastHold + 1);
    return [LegalHoldPlaced({ hold, clients: held, from, to, details: { reason: reason.trim() } })];
  },

  ReleaseLegalHold({ hold, reason }, { holds }) {
    const current = holds.get(hold as HoldId);
    if (!current) return reject('HOLD_NOT_FOUND', { hold });
    if (reason.length > MAX_REASON) return reject('REASON_TOO_LONG', { most: MAX_REASON });
    return [LegalHoldReleased({ hold: current.id, details: { reason: reason.trim() } })];
  },

  EraseClients({ clients, reason }, state, { now }) {
    if (reason.length > MAX_REASON) return reject('REASON_TOO_LONG', { most: MAX_REASON });
    const all = named(state, clients);
    if (!Array.isArray(all)) return all;
    const held = all.flatMap((client) => heldClient(state, client, now) ?? [])[0];
    if (held) return heldRejection(held);
    const existing = all.flatMap((client) => state.clients.get(client) ?? []);
    const keys = all.flatMap((client) => keysOf(state, client));
    const deleted: Caused<PanelEvent>[] = deletions(state, existing);
    return [
      ...deleted,
      ...keys.map((key) => DataKeyDestroyed({ key, reason: 'erased' })),
      PersonalDataErased({ clients: all, keys, details: { reason: reason.trim() } }),
    ];
  },

  RecordPersonalDataExport: (data) => [PersonalDataExported(data)],
};

/** Why data under a legal hold is not erased. */
export const heldRejection = ({ id, by }: LegalHold): Rejection => reject('LEGAL_HOLD', { hold: id, by });

/** The clients with all that share their email; a rejection for a number without data. */
function named(state: PanelState, clients: readonly number[]): ClientNumber[] | Rejection {
  const all = new Set<ClientNumber>();
  for (const number of clients as readonly ClientNumber[]) {
    const client = state.clients.get(number);
    if (client) for (const sibling of siblingsOf(state, client)) all.add(sibling.number);
    else if (keysOf(state, number).length > 0) all.add(number);
    else return reject('CLIENT_DATA_UNKNOWN', { client: number });
  }
  return [...all];
}

/** The keys of the personal data of a client, deleted or not. */
function keysOf(state: PanelState, number: ClientNumber): readonly string[] {
  const client = state.clients.get(number);
  const name = `client:${number}`;
  const own = client ? [`${name}/${client.keyVersion}`, `${name}/addresses`] : (state.erasable.get(name)?.keys ?? []);
  // Under a legal hold the keys of former credentials are kept.
  const last = client?.keyVersion ?? Number(/\/(\d+)$/.exec(own[0] ?? '')?.[1] ?? 0);
  const former = Array.from({ length: Math.max(0, last - 1) }, (_, i) => `${name}/${i + 1}`);
  return [...former.filter((key) => state.erasable.has(key)), ...own];
}

function heldClient(
  { clients, erasable, holds }: PanelState,
  number: ClientNumber,
  now: number,
): LegalHold | undefined {
  const client = clients.get(number);
  if (client) return holdOnClient(holds, number, client.createdAt, now);
  const { since, at } = erasable.get(`client:${number}`) ?? { since: 0, at: now };
  return holdOnClient(holds, number, since, at);
}
