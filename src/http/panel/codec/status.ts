import type { HostReading } from '../../../commands/ports/host.js';
import { codeOf } from '../../../messages/message.js';
import { render } from '../../../messages/render.js';
import type { ReadModels } from '../../../projections/read-models.js';
import type { Status } from '../contract/schemas/status.js';

/** The status object of `GET /status` and of the WebSocket. Carries the names of the specification and of 3x-ui. */
export function statusOf(read: ReadModels, host: HostReading, now: number): Status {
  const { state, error, version, since } = read.records.core().process;
  const core = {
    state,
    errorMsg: error === null ? '' : render(error, 'en'),
    errorMsgCode: codeOf(error),
    version: version || 'Unknown',
  };
  const { load1, load5, load15 } = host.load;
  return {
    cpu: host.cpu,
    cpuCores: whole(host.cpuCores),
    logicalPro: whole(host.logicalPro),
    cpuSpeedMhz: host.cpuSpeedMhz,
    mem: usage(host.mem),
    swap: usage(host.swap),
    disk: usage(host.disk),
    core,
    xray: core,
    uptime: whole(host.uptime),
    load: { load1, load5, load15 },
    loads: [load1, load5, load15],
    tcpCount: whole(host.tcpCount),
    udpCount: whole(host.udpCount),
    netIO: { up: whole(host.netIO.up), down: whole(host.netIO.down) },
    netTraffic: { sent: whole(host.netTraffic.sent), recv: whole(host.netTraffic.recv) },
    publicIP: host.publicIP,
    appStats: {
      threads: whole(host.appStats.threads),
      mem: whole(host.appStats.mem),
      uptime: since > 0 ? Math.max(0, Math.floor((now - since) / 1000)) : 0,
    },
    panelId: read.identity.panelId,
    missing: [...host.missing],
  };
}

/** Clients of the API read these as integers and reject a fraction. */
const whole = Math.round;
const usage = ({ current, total }: HostReading['mem']) => ({ current: whole(current), total: whole(total) });
