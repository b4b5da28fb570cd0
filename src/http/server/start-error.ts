import { serverNames } from '../../events/certificate.js';

/** The servers that a start binds, with the configuration variables of their addresses. */
export const startedServers = {
  panel: { name: serverNames.panel, host: 'HOST', port: 'PORT' },
  subscription: { name: serverNames.subscription, host: 'SUB_HOST', port: 'SUB_PORT' },
  ops: { name: 'the health port of the panel', host: null, port: 'OPS_PORT' },
} as const;

export type StartedServer = keyof typeof startedServers;

interface Sources {
  /** The flag or environment variable that changes a configuration value. */
  readonly changedBy: (variable: string) => string;
  /** The process that listens on a port; null when the system does not tell. */
  readonly portHolder: (port: number) => { readonly pid: number; readonly name: string } | null;
  /** The id of this process. */
  readonly pid: number;
}

/**
 * Why a start could not bind one of its servers, as a sentence for the operator: which process holds the port, where the
 * system tells, and the flag or variable that changes it. The web page cannot be reached at that point.
 */
export function startErrorText(
  error: unknown,
  server: StartedServer,
  { listen, port }: { readonly listen: string; readonly port: number },
  { changedBy, portHolder, pid }: Sources,
): string {
  const { name, host, port: variable } = startedServers[server];
  const { code } = error as NodeJS.ErrnoException;
  const otherPort = `choose another with ${changedBy(variable)}`;
  if (code === 'EADDRINUSE') {
    const holder = portHolder(port);
    const by =
      holder === null
        ? 'another program'
        : holder.pid === pid
          ? 'this panel itself'
          : `${holder.name} (pid ${holder.pid})`;
    return `Port ${port} of ${name} is already used by ${by}: ${otherPort}`;
  }
  if (code === 'EACCES')
    return `This account may not bind port ${port} for ${name}: ${otherPort}, or grant it CAP_NET_BIND_SERVICE`;
  if (code === 'EADDRNOTAVAIL' && host !== null)
    return `${listen} is not an address of this machine: choose another for ${name} with ${changedBy(host)}`;
  return `${name} cannot listen on port ${port}: ${error instanceof Error ? error.message : String(error)}`;
}
