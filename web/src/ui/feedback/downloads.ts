import { api, base } from '../../api/client';
import { toastError } from './toast';

/** Links that were just allowed: their next click goes to the browser. */
const allowed = new WeakSet<HTMLAnchorElement>();

/**
 * Makes every link to a file of the panel check the session first. A download after the end of the session would fail
 * without a word; now it asks for the login and then continues.
 */
export function guardDownloads(): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link?.hasAttribute('download') || !link.href.startsWith(base.href) || allowed.delete(link)) return;
    event.preventDefault();
    // A request without a session opens the login and is repeated after it.
    api.get('/panel/api/admins/me').then(() => {
      allowed.add(link);
      link.click();
    }, toastError);
  });
}
