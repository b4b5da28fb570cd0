import { filter, firstValueFrom, map, of, take, timeout } from 'rxjs';
import type { RecordedEvent } from '../catalog.js';
import type { EventLog } from './log.js';

/** The first event of one of the types after a position. Waits for it up to `ms`; null if there is none until then. */
export function firstEvent(
  log: Pick<EventLog, 'read' | 'appended$'>,
  position: number,
  types: readonly RecordedEvent['type'][],
  ms: number,
): Promise<RecordedEvent | null> {
  const past = log.read(position, 1000).find(({ type }) => types.includes(type));
  if (past) return Promise.resolve(past);
  const next = log.appended$.pipe(
    map((events) => events.find((event) => event.position > position && types.includes(event.type))),
    filter((event) => event !== undefined),
    take(1),
    timeout({ first: ms, with: () => of(null) }),
  );
  return firstValueFrom(next, { defaultValue: null });
}
