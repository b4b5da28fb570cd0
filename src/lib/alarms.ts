import { type Observable, Subject } from 'rxjs';
import type { Text } from '../messages/message.js';

/** A notification for every connected admin, and a line in the log of the panel. */
export interface Alarm {
  readonly title: Text;
  readonly body: Text;
  readonly severity: 'success' | 'warning' | 'error';
}

/** Notifications without an event, because none can be recorded or no state has changed. */
export class Alarms {
  readonly #raised = new Subject<Alarm>();
  readonly #active = new Set<string>();

  get raised$(): Observable<Alarm> {
    return this.#raised;
  }

  /** Whether an alarm of this kind was raised and has not ended. */
  isActive(kind: string): boolean {
    return this.#active.has(kind);
  }

  notify(alarm: Alarm): void {
    this.#raised.next(alarm);
  }

  /** Sends the alarm unless one of its kind is active. */
  raise(kind: string, alarm: Alarm): void {
    if (this.#active.has(kind)) return;
    this.#active.add(kind);
    this.notify(alarm);
  }

  /** Ends alarms of these kinds. Sends `alarm`, if given, when one of them was active. */
  clear(kinds: Iterable<string>, alarm?: Alarm): void {
    let wasActive = false;
    for (const kind of kinds) if (this.#active.delete(kind)) wasActive = true;
    if (wasActive && alarm) this.notify(alarm);
  }
}
