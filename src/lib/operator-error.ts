import { MessageError } from '../messages/error.js';

/** A command of the operator failed. On the command line the exit code is 1. */
export class OperatorError extends MessageError {
  override readonly name = 'OperatorError';
}
