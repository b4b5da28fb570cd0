import { CoreError, type CoreInbound } from '../../../commands/ports/core.js';
import type { JsonObject } from '../../../lib/json.js';
import { portsOf } from '../config/inbound.js';
import { type Ending, reasonOf } from './process.js';

type Inbounds = ReadonlyMap<string, CoreInbound>;

/** Why a core did not start, with the inbound that its output names. */
export function startError(output: string, ending: Ending, inbounds: Inbounds): CoreError {
  const { reason, configuration } = reasonOf(output, ending);
  return new CoreError(configuration ? 'invalid' : 'refused', reason, { inbound: failedInbound(output, inbounds) });
}

/**
 * The inbound that could not listen, by the address in the core's error. Null if the error contains no address, or several
 * inbounds have it: one over TCP and one over UDP often share a port, and only one of them may be at fault.
 */
export function failedInbound(output: string, inbounds: Inbounds): string | null {
  const chain = /^.*Failed to start: (.*)$/m.exec(output)?.[1] ?? '';
  const port = Number(
    /failed to listen (?:TCP|UDP) on (\d+)(?= |$)|listen (?:tcp|udp)\w* \S*:(\d+): /.exec(chain)?.slice(1).join(''),
  );
  const socket = /failed to listen Unix Domain Socket on (.+?)(?: > |$)/.exec(chain)?.[1];
  const candidates = [...inbounds.values()].filter(({ config }) =>
    socket === undefined ? isOnPort(config, port) : socketOf(config) === socketOf({ listen: socket }),
  );
  return candidates.length === 1 ? (candidates[0]?.tag ?? null) : null;
}

function isOnPort(config: JsonObject, port: number): boolean {
  return portsOf(config).some(([from, to]) => port >= from && port <= to);
}

/** Behind a comma are the rights of the file. */
function socketOf({ listen }: JsonObject): string | null {
  return typeof listen === 'string' && /^[/@]/.test(listen) ? (listen.split(',')[0] ?? null) : null;
}
