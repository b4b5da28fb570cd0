import { asSystem } from '../commands/bus.js';
import type { Web } from '../commands/ports/web.js';
import { TrafficInform } from '../commands/reactors/traffic/traffic-inform.js';
import type { Disposal } from '../lib/disposal.js';
import { type Panel } from './panel.js';

/** Tells the receiver of the settings, if there is one, what was moved, until `disposal`. */
export function openTrafficInform(
  { read, dispatch, now }: Pick<Panel, 'read' | 'dispatch' | 'now'>,
  web: Web,
  warn: (message: string, fields?: object) => void,
  disposal: Disposal,
): void {
  const inform = new TrafficInform({
    web,
    settings: () => read.settings.current(),
    changed$: read.changed$,
    emailOf: (client) => read.clients.get(client)?.identity.email ?? null,
    tagOf: (inbound) => read.inbounds.get(inbound)?.tag ?? null,
    dispatch: (command) => void dispatch(command, asSystem('traffic-inform')),
    now,
    warn,
  });
  inform.begin();
  disposal.add(() => inform.stop());
}
