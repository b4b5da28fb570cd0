import { Observable } from 'rxjs';

/**
 * Runs one task at a time and keeps only the newest value that waits: after a task ends, the value that arrived last is
 * handled next and those before it are dropped. An error of a task ends the stream.
 */
export function conflate<T, R>(task: (value: T) => Promise<R>) {
  return (source: Observable<T>): Observable<R> =>
    new Observable<R>((subscriber) => {
      let busy = false;
      let waiting: { readonly value: T } | undefined;
      let ended = false;
      const run = (value: T): void => {
        busy = true;
        task(value).then(
          (result) => {
            busy = false;
            subscriber.next(result);
            const next = waiting;
            waiting = undefined;
            if (next) run(next.value);
            else if (ended) subscriber.complete();
          },
          (error: unknown) => subscriber.error(error),
        );
      };
      return source.subscribe({
        next: (value) => {
          if (busy) waiting = { value };
          else run(value);
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => {
          ended = true;
          if (!busy) subscriber.complete();
        },
      });
    });
}
