import { type Observable, Subject } from 'rxjs';
import type { Text } from '../messages/message.js';

/** A notification for every connected admin, and a line in the log of the panel. */
export interface Alarm {
  readonly title: Text;
  readonly body: Text;
  readonly severity: 'success' | 'warning' | 'error';
}

/** Notifications that follow from no event: none can be written, or nothing has changed. */
export class Alarms {
  readonly #raised = new Subject<Alarm>();
  readonly #standing = new Set<string>();

  get raised$(): Observable<Alarm> {
    return this.#raised;
  }

  /** Whether an alarm of this kind was raised and has not ended. */
  stands(kind: string): boolean {
    return this.#standing.has(kind);
  }

  tell(alarm: Alarm): void {
    this.#raised.next(alarm);
  }

  /** Sends the alarm once, until its kind has ended. */
  raise(kind: string, alarm: Alarm): void {
    if (this.#standing.has(kind)) return;
    this.#standing.add(kind);
    this.tell(alarm);
  }

  /** Ends these kinds. If one of them was raised, `alarm` says so; without an alarm nothing is sent. */
  over(kinds: Iterable<string>, alarm?: Alarm): void {
    let stood = false;
    for (const kind of kinds) if (this.#standing.delete(kind)) stood = true;
    if (stood && alarm) this.tell(alarm);
  }
}
