import type { RecordedEvent } from '../catalog.js';
import type { HoldId } from '../ids.js';

/** A legal hold that is in force. Times in ms since 1970. */
export interface LegalHold {
  readonly id: HoldId;
  /** Numbers of the clients; empty = everything recorded in the period. */
  readonly clients: readonly number[];
  /** 0 = from the first event. */
  readonly from: number;
  /** Inclusive; 0 = no end. */
  readonly to: number;
  readonly reason: string;
  /** Name of the admin who placed it. */
  readonly by: string;
  readonly placedAt: number;
  readonly position: number;
}

/** The holds in force, by number. */
export type LegalHolds = Map<HoldId, LegalHold>;

/** Applies one event. A client that takes over the traffic of a held client, as after a move, is held as well. */
export function evolveHolds(holds: LegalHolds, { type, data, meta, position }: RecordedEvent): void {
  switch (type) {
    case 'LegalHoldPlaced': {
      const { hold: id, clients, from, to, details } = data;
      const placed = { by: meta.actor.name, placedAt: meta.at, position };
      holds.set(id, { id, clients, from, to, reason: details.reason, ...placed });
      break;
    }
    case 'LegalHoldReleased':
      holds.delete(data.hold);
      break;
    case 'ClientTrafficTransferred':
      extendHolds(holds, [data.client, data.fromClient]);
      break;
    default:
  }
}

/** Makes holds on one of these clients hold all of them. */
export function extendHolds(holds: LegalHolds, clients: readonly number[]): void {
  for (const hold of holds.values()) {
    if (!clients.some((client) => hold.clients.includes(client))) continue;
    holds.set(hold.id, { ...hold, clients: [...new Set([...hold.clients, ...clients])] });
  }
}

const reaches = ({ to }: LegalHold, time: number): boolean => to === 0 || to >= time;

/** The hold on the data of a client that existed between two times; undefined when there is none. */
export function holdOnClient(holds: LegalHolds, client: number, since: number, until: number): LegalHold | undefined {
  return [...holds.values()].find((hold) =>
    hold.clients.length > 0 ? hold.clients.includes(client) : hold.from <= until && reaches(hold, since),
  );
}

/** The hold on whatever else existed between two times; undefined when there is none. */
export function holdOnPeriod(holds: LegalHolds, since: number, until: number): LegalHold | undefined {
  return [...holds.values()].find((hold) => hold.clients.length === 0 && hold.from <= until && reaches(hold, since));
}

/** The hold on measurements between two times. Measurements of clients are summed up together, so holds on clients count. */
export function holdOnMeasurements(holds: LegalHolds, since: number, until: number): LegalHold | undefined {
  return [...holds.values()].find((hold) => hold.from <= until && reaches(hold, since));
}

/** The first time (ms) from `since` on whose measurements must be kept; Infinity when there is none. */
export function heldFrom(holds: LegalHolds, since: number): number {
  const starts = [...holds.values()].filter((hold) => reaches(hold, since)).map(({ from }) => from);
  return Math.min(Number.POSITIVE_INFINITY, ...starts);
}
