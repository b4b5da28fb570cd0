import { z } from 'zod';
import { TextCode } from './text-code.js';

const Usage = z.object({ current: z.int(), total: z.int() });
const CoreStatus = z.object({
  state: z.enum(['running', 'stop', 'error']),
  /** Why the core does not run, in English for all callers; empty otherwise. */
  errorMsg: z.string(),
  errorMsgCode: TextCode,
  version: z.string(),
});

/** The machine and the core. Members that 3x-ui names or shapes differently exist in both forms. */
export const Status = z
  .object({
    cpu: z.number(),
    cpuCores: z.int(),
    logicalPro: z.int(),
    cpuSpeedMhz: z.number(),
    mem: Usage,
    swap: Usage,
    disk: Usage,
    core: CoreStatus,
    xray: CoreStatus,
    uptime: z.int(),
    load: z.object({ load1: z.number(), load5: z.number(), load15: z.number() }),
    loads: z.array(z.number()),
    tcpCount: z.int(),
    udpCount: z.int(),
    netIO: z.object({ up: z.int(), down: z.int() }),
    netTraffic: z.object({ sent: z.int(), recv: z.int() }),
    publicIP: z.object({ ipv4: z.string(), ipv6: z.string() }),
    /** `uptime` is the core's, in seconds. */
    appStats: z.object({ threads: z.int(), mem: z.int(), uptime: z.int() }),
    /** The permanent id of this panel, by which another panel recognizes it as a node. */
    panelId: z.string(),
    /** Members that are not available on this system, or not yet; they are 0. */
    missing: z.array(z.string()),
  })
  .meta({ id: 'Status' });
export type Status = z.output<typeof Status>;
