import { z } from 'zod';
import { OperatorError } from '../lib/errors/operator-error.js';
import { message } from '../messages/message.js';
import { operation } from './operation.js';

/** The operations on signed heads. */
export const proofOperations = {
  'proof.publish': operation(z.strictObject({}), (_, { publishHead }) => {
    if (publishHead === null) throw new OperatorError(message('cli.noPanel'));
    return publishHead();
  }),
} as const;
