import { ClusterAway, StreamMissing, WrongSequence } from '../../commands/ports/cluster.js';

/** `err_code` of JetStream for a publish with another expected last sequence. */
const WRONG_LAST_SEQUENCE = 10_071;
/** `err_code` for a stream or bucket that does not exist. */
const STREAM_NOT_FOUND = 10_059;
/** `err_code` for an account that may not use JetStream. */
const NO_JETSTREAM = 10_039;
/** A replica that is elected, or its quorum, is not known: the request may succeed a moment later. */
const NOT_AVAILABLE: ReadonlySet<number> = new Set([10_008, 10_009, 10_023, 10_074, 10_077]);

/** Runs a request. Rejects with the errors of the port. */
export async function natsRequest<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw natsError(error);
  }
}

/** An error of the port for one of the library. */
export function natsError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? error.code : undefined;
  if (code === WRONG_LAST_SEQUENCE) return new WrongSequence(error.message, { cause: error });
  if (code === STREAM_NOT_FOUND) return new StreamMissing(error.message, { cause: error });
  const away =
    /^(?:TimeoutError|NoRespondersError|RequestError|ClosedConnectionError|DrainingConnectionError|ConnectionError|JetStreamNotEnabled)$/;
  if (away.test(error.name) || (typeof code === 'number' && NOT_AVAILABLE.has(code)))
    return new ClusterAway(error.message, { cause: error });
  return error;
}

/** Whether a request was refused because the account of this member may not use JetStream, which does not pass. */
export function isWithoutJetStream(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && cause.code === NO_JETSTREAM) return true;
  return false;
}
