import { z } from 'zod';
import { get, routes } from '../route.js';
import { TextCode } from '../schemas/text-code.js';

const prefix = '/panel/api/server';

/** A path word. The handler rejects an unknown one with a list of the valid ones. */
export const oneOf = (words: readonly string[]) => z.string().meta({ enum: [...words] });

const hostMetric = oneOf(['cpu', 'mem', 'netUp', 'netDown', 'online', 'load1', 'load5', 'load15']);
/** Under our names and those of 3x-ui. */
const coreMetric = oneOf([
  ...['coreAlloc', 'coreSys', 'coreHeapObjects', 'coreNumGC', 'corePauseNs'],
  ...['xrAlloc', 'xrSys', 'xrHeapObjects', 'xrNumGC', 'xrPauseNs'],
]);
/** Width of a step in seconds. */
export const bucket = oneOf(['2', '30', '60', '120', '180', '300']);

/** The mean over one step: `t` in unix seconds, a multiple of the bucket. Steps without a reading are left out. */
const Sample = z.object({ t: z.int(), v: z.number() });
export const History = z.array(Sample);

const CoreMetricsState = z.object({
  enabled: z.boolean(),
  /** Loopback address of the core's own metrics page. */
  listen: z.string(),
  /** Why metrics are not read; empty when they are. */
  reason: z.string().optional(),
  reasonCode: TextCode.optional(),
  /** Metrics that have a history. */
  keys: z.array(z.string()),
  values: z.record(z.string(), z.number()),
});

/** Delay in ms, times in unix seconds. */
const Observed = z.object({
  tag: z.string(),
  alive: z.boolean(),
  delay: z.number(),
  lastSeenTime: z.int(),
  lastTryTime: z.int(),
  updatedAt: z.int(),
});

/** Measurements of the machine and the core over the last six hours. */
export const historyRoutes = routes(prefix, {
  cpuHistory: get('/cpuHistory/:bucket', {
    permission: { resource: 'server', action: 'read' },
    summary:
      'Get the CPU load of the last six hours, as /history/cpu, with the member names of older and newer clients',
    params: z.object({ bucket }),
    reply: z.array(Sample.extend({ cpu: z.number() })),
  }),
  history: get('/history/:metric/:bucket', {
    permission: { resource: 'server', action: 'read' },
    summary:
      'Get a metric of the last six hours: cpu, mem (percent), netUp, netDown (bytes/s), online, load1, load5 or load15',
    params: z.object({ metric: hostMetric, bucket }),
    reply: History,
  }),
  coreMetricsState: get('/coreMetricsState', {
    permission: { resource: 'server', action: 'read' },
    summary: 'Get whether the template has a metrics block, and the latest metrics of the core',
    aliases: [`${prefix}/xrayMetricsState`],
    reply: CoreMetricsState,
  }),
  coreMetricsHistory: get('/coreMetricsHistory/:metric/:bucket', {
    permission: { resource: 'server', action: 'read' },
    summary:
      'Get a core metric of the last six hours: coreAlloc, coreSys (bytes), coreHeapObjects, coreNumGC or corePauseNs',
    aliases: [`${prefix}/xrayMetricsHistory/:metric/:bucket`],
    params: z.object({ metric: coreMetric, bucket }),
    reply: History,
  }),
  coreObservatory: get('/coreObservatory', {
    permission: { resource: 'server', action: 'read' },
    summary: 'Get the results of the core’s observatory for each outbound; empty without an observatory',
    aliases: [`${prefix}/xrayObservatory`],
    reply: z.array(Observed),
  }),
  coreObservatoryHistory: get('/coreObservatoryHistory/:tag/:bucket', {
    permission: { resource: 'server', action: 'read' },
    summary: 'Get the delay of an outbound in ms over the last six hours, while it was alive',
    aliases: [`${prefix}/xrayObservatoryHistory/:tag/:bucket`],
    params: z.object({ tag: z.string(), bucket }),
    reply: History,
  }),
});
