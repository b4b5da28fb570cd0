/** A command of the operator failed; the message is for people. On the command line the exit code is 1. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
