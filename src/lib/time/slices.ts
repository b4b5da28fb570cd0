/** How long a slice lasts, in ms. Other work of the event loop waits at most this long, plus one step. */
const SLICE_MS = 5;

/** A long computation in steps: each `yield` is a point at which other work may run. */
export type Steps<T> = Generator<void, T, void>;

/**
 * Runs a long computation in slices, with a turn of the event loop between two of them. Resolves to its result. Rejects with
 * the error of a step, or with the reason of `signal` when it is aborted first.
 */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  for (let until = performance.now() + SLICE_MS; ; ) {
    signal?.throwIfAborted();
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < until) continue;
    await new Promise((resolve) => setImmediate(resolve));
    until = performance.now() + SLICE_MS;
  }
}

/** Runs all steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
