import { textOf } from '../../../messages/error.js';
import { message, type Text } from '../../../messages/message.js';

/** The servers that a start binds, with the configuration variables of their addresses. */
export const startedServers = {
  panel: { name: message('inbound.panelServer'), host: 'HOST', port: 'PORT' },
  subscription: { name: message('inbound.subscriptionServer'), host: 'SUB_HOST', port: 'SUB_PORT' },
  ops: { name: message('inbound.opsServer'), host: null, port: 'OPS_PORT' },
} as const;

export type StartedServer = keyof typeof startedServers;

interface Sources {
  /** The flag or environment variable that changes a configuration value. */
  readonly changedBy: (variable: string) => string;
  /** The process that listens on a port; null when unknown. */
  readonly portHolder: (port: number) => { readonly pid: number; readonly name: string } | null;
  /** The id of this process. */
  readonly pid: number;
}

/**
 * Why a start could not bind one of its servers: the process that holds the port, if known, and the flag or variable to
 * change.
 */
export function startErrorText(
  error: unknown,
  server: StartedServer,
  { listen, port }: { readonly listen: string; readonly port: number },
  { changedBy, portHolder, pid }: Sources,
): Text {
  const { name: serverName, host, port: variable } = startedServers[server];
  const { code } = error as NodeJS.ErrnoException;
  const option = changedBy(variable);
  if (code === 'EADDRINUSE') {
    const holder = portHolder(port);
    const by =
      holder === null
        ? message('start.otherProgram')
        : holder.pid === pid
          ? message('start.thisPanel')
          : message('start.process', holder);
    return message('start.portUsed', { port, server: serverName, by, option });
  }
  if (code === 'EACCES') return message('start.portForbidden', { port, server: serverName, option });
  if (code === 'EADDRNOTAVAIL' && host !== null)
    return message('start.addressMissing', { listen, server: serverName, option: changedBy(host) });
  return message('start.listenFailed', { server: serverName, port, why: textOf(error) });
}
