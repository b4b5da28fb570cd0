import { api } from '../api/client';
import { toastError } from '../ui/feedback/toast';

/** Ends the session. The same address is the login then. */
export function logOut(): void {
  api.post('/logout').then(() => location.reload(), toastError);
}
