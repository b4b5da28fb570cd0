import { asSystem } from '../commands/bus.js';
import type { Web } from '../commands/ports/web.js';
import { TrafficReporter } from '../commands/reactors/traffic/traffic-report.js';
import type { Panel } from './panel.js';

/** Reports traffic to the receiver in the settings, if there is one, between `begin` and `stop`. */
export function createTrafficReporter(
  { read, dispatch, now }: Pick<Panel, 'read' | 'dispatch' | 'now'>,
  web: Web,
  warn: (message: string, fields?: object) => void,
): TrafficReporter {
  return new TrafficReporter({
    web,
    settings: () => read.settings.current(),
    changed$: read.changed$,
    emailOf: (client) => read.clients.get(client)?.identity.email ?? null,
    tagOf: (inbound) => read.inbounds.get(inbound)?.tag ?? null,
    dispatch: (command) => void dispatch(command, asSystem('traffic-report')),
    now,
    warn,
  });
}
