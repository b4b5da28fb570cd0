import { isObject, type JsonObject, valueAt } from '../../../model/json';
import { textAt } from '../template';

/**
 * Where the server and its account are: the core knows a flat form, and an older one with lists (`vnext`, `servers`), which
 * stays as it is.
 */
export function placesOf(outbound: JsonObject): { readonly server: string; readonly user: string } {
  const settings = valueAt(outbound, 'settings');
  if (isObject(settings) && Array.isArray(settings['vnext']))
    return { server: 'settings.vnext.0', user: 'settings.vnext.0.users.0' };
  if (isObject(settings) && Array.isArray(settings['servers'])) {
    const hasUsers = ['socks', 'http'].includes(textAt(outbound, 'protocol'));
    return { server: 'settings.servers.0', user: hasUsers ? 'settings.servers.0.users.0' : 'settings.servers.0' };
  }
  return { server: 'settings', user: 'settings' };
}

/** The address of an outbound's server, for the list. */
export function serverOf(outbound: JsonObject): string {
  const { server } = placesOf(outbound);
  const address = textAt(outbound, `${server}.address`);
  if (textAt(outbound, 'protocol') === 'wireguard') return textAt(outbound, 'settings.peers.0.endpoint');
  return address === '' ? textAt(outbound, 'settings.redirect') : `${address}:${textAt(outbound, `${server}.port`)}`;
}
