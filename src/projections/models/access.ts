import { type AccessState, evolveAccess, noAccess } from '../../events/access/access-document.js';
import { type Fold, TRAFFIC } from '../../events/log/fold.js';

/** Roles, what each admin and each token may do, and the owner of each client. */
export const access: Fold<AccessState> = {
  name: 'access',
  version: 3,
  ignores: TRAFFIC,
  initial: noAccess,
  apply: evolveAccess,
};
