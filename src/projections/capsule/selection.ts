import { eventType, type RecordedEvent } from '../../events/catalog.js';
import { isAboutMany } from '../../events/client/members.js';

/** Fields of events with the number of one client. */
export const ONE_CLIENT = ['client', 'fromClient'] as const;
/** Fields with numbers of clients, or rows that begin with the number of a client. */
export const MANY_CLIENTS = ['clients', 'newClients', 'expiring', 'nearCap'] as const;

/** The clients and inbounds that a capsule is about. */
export interface Subjects {
  readonly clients: ReadonlySet<number>;
  readonly inbounds: ReadonlySet<number>;
}

type Data = Readonly<Record<string, unknown>>;

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const numberOf = (item: unknown): unknown => (Array.isArray(item) ? item[0] : item);

/** The numbers of the clients in an event. */
export function clientsIn({ data }: RecordedEvent): readonly number[] {
  const fields = data as Data;
  const many = MANY_CLIENTS.flatMap((field) => listed(fields[field]).map(numberOf));
  return [...ONE_CLIENT.map((field) => fields[field]), ...many].filter((value) => typeof value === 'number');
}

/** The event without other clients and the counters of other inbounds; null if nothing is left of it. */
export function selected(event: RecordedEvent, subjects: Subjects): RecordedEvent | null {
  const { data } = event as { readonly data: Data };
  if (ONE_CLIENT.some((field) => typeof data[field] === 'number' && !subjects.clients.has(data[field]))) return null;
  if (event.type === 'MeasurementsRolledUp') return { ...event, data: rollUp(data, subjects) } as RecordedEvent;
  const isMeasured = eventType(event.type)?.class === 'measured';
  const kept = isMeasured ? withoutOthers(data, subjects) : withoutOtherClients(data, subjects);
  if ((isMeasured || isAboutMany(event)) && isEmptied(data, kept)) return null;
  return { ...event, data: kept } as RecordedEvent;
}

function withoutOtherClients(data: Data, { clients }: Subjects): Data {
  const isListed = (field: string): boolean => (MANY_CLIENTS as readonly string[]).includes(field);
  return Object.fromEntries(
    Object.entries(data).map(([field, value]) =>
      isListed(field) && Array.isArray(value) ? [field, value.filter((item) => has(clients, item))] : [field, value],
    ),
  );
}

function withoutOthers(data: Data, subjects: Subjects): Data {
  const { inbounds, anomalies, ...rest } = data;
  return {
    ...withoutOtherClients(rest, subjects),
    ...(inbounds === undefined ? {} : { inbounds: listed(inbounds).filter((row) => has(subjects.inbounds, row)) }),
    ...(anomalies === undefined ? {} : { anomalies: listed(anomalies).filter((row) => isAbout(row, subjects)) }),
  };
}

/** Items that name nothing by number, such as the unmanaged clients of a node, stay. */
function has(numbers: ReadonlySet<number>, item: unknown): boolean {
  const number = numberOf(item);
  return typeof number !== 'number' || numbers.has(number);
}

/** `row`: [kind, number, reason] */
function isAbout(row: unknown, { clients, inbounds }: Subjects): boolean {
  const [kind, number] = listed(row);
  return typeof number !== 'number' || (kind === 'inbound' ? inbounds : clients).has(number);
}

function rollUp(data: Data, subjects: Subjects): Data {
  const sumsOf = (sums: unknown): unknown =>
    listed(sums).map((entry) => ({
      ...(entry as Data),
      sum: withoutOthers((entry as { readonly sum: Data }).sum, subjects),
    }));
  return { ...data, sums: sumsOf(data['sums']), nodeSums: sumsOf(data['nodeSums']) };
}

/** Whether the event had rows, and has none now. */
function isEmptied(before: Data, after: Data): boolean {
  const count = (data: Data): number =>
    Object.values(data).reduce<number>((sum, value) => sum + listed(value).length, 0);
  return count(before) > 0 && count(after) === 0;
}
