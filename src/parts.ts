import { certificateFlaw } from './adapters/certificates.js';
import { ProcHostMonitor } from './adapters/host-monitor.js';
import { scryptPasswords } from './adapters/passwords.js';
import { portFlaw } from './adapters/port-flaw.js';
import type { Panel } from './app.js';
import type { OwnPort } from './commands/command.js';
import type { Config } from './config.js';
import type { HttpParts } from './http/context.js';
import type { Disposal } from './lib/disposal.js';
import { version } from './version.js';

/** What the panel's second port is called where somebody else wants it. */
export const SUBSCRIPTIONS = 'the subscription server';

/** Makes what the handlers use, for as long as the process runs: a restart of the servers keeps it. */
export function httpParts(
  panel: Panel,
  config: Config,
  ownPorts: () => readonly OwnPort[],
  disposal: Disposal,
): HttpParts {
  const { read, core, now } = panel;
  const host = new ProcHostMonitor(config.DATA_DIR);
  host.start();
  disposal.add(() => host.stop());
  return {
    read,
    core,
    host,
    passwords: scryptPasswords(),
    now,
    version,
    coreSettled: (ms) =>
      Promise.race([panel.settled(), new Promise<void>((resolve) => setTimeout(resolve, ms).unref())]),
    outcome: panel.outcome,
    portFlaw,
    subPort: () => ownPorts().find(({ name }) => name === SUBSCRIPTIONS)?.port ?? read.settings().subPort,
    certificateFlaw,
  };
}
