import { MessageError } from '../../messages/error.js';

/** A command of the operator failed. On the command line the exit code is 1. */
export class OperatorError extends MessageError {
  override readonly name: string = 'OperatorError';
}

/** A flag, an argument or a variable has a value that cannot be used. On the command line the exit code is 2. */
export class UsageError extends OperatorError {
  override readonly name = 'UsageError';
}
