import { MessageError } from '../../messages/error.js';

/** A file of the operator is neither a backup nor a database of 3x-ui, or is damaged. Nothing was changed. */
export class RefusedFile extends MessageError {
  override readonly name = 'RefusedFile';
}
