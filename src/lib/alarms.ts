import { type Observable, Subject } from 'rxjs';

/** A sentence for every admin who listens, and for the log of the panel. */
export interface Alarm {
  readonly title: string;
  readonly body: string;
  readonly severity: 'success' | 'warning' | 'error';
}

/** What admins must hear though no event says it: because none can be written, or because nothing has changed. */
export class Alarms {
  readonly #raised = new Subject<Alarm>();
  readonly #standing = new Set<string>();

  get raised$(): Observable<Alarm> {
    return this.#raised;
  }

  /** Whether this was raised and is not over. */
  stands(kind: string): boolean {
    return this.#standing.has(kind);
  }

  tell(alarm: Alarm): void {
    this.#raised.next(alarm);
  }

  /** Tells it once, until it is over. */
  raise(kind: string, alarm: Alarm): void {
    if (this.#standing.has(kind)) return;
    this.#standing.add(kind);
    this.tell(alarm);
  }

  /** What was raised is over, which the alarm tells, if one of these kinds stood. Without one nothing is told. */
  over(kinds: Iterable<string>, alarm?: Alarm): void {
    let stood = false;
    for (const kind of kinds) if (this.#standing.delete(kind)) stood = true;
    if (stood && alarm) this.tell(alarm);
  }
}
