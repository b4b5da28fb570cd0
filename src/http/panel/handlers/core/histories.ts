import {
  type Bucket,
  buckets,
  type CoreMetric,
  coreMetrics,
  type Gauges,
  type HostMetric,
  hostMetrics,
  type Sample,
} from '../../../../commands/ports/gauges.js';
import { Rejection, reject } from '../../../../commands/rejection.js';
import { codeOf, message } from '../../../../messages/message.js';
import type { Needs } from '../../context.js';
import type { historyRoutes } from '../../contract/core/histories.js';
import { JsonOf } from '../../contract/route.js';
import type { Handlers } from '../../mount.js';

export const widths: ReadonlyMap<string, Bucket> = new Map(buckets.map((seconds) => [String(seconds), seconds]));
const ofHost: ReadonlyMap<string, HostMetric> = new Map(hostMetrics.map((name) => [name, name]));
/** Under our names and those of 3x-ui, which begin with `xr`. */
const ofCore: ReadonlyMap<string, CoreMetric> = new Map(
  coreMetrics.flatMap((name) => [
    [name, name],
    [name.replace(/^core/, 'xr'), name],
  ]),
);

/** The core runs, but its template does not enable metrics. */
const NOT_CONFIGURED = message('core.metricsMissing');

export const historyHandlers: Handlers<typeof historyRoutes, Needs<'gauges'>> = {
  cpuHistory({ params: { bucket } }, { gauges }) {
    const samples = historyOf(ofHost, 'cpu', bucket, gauges);
    return samples instanceof Rejection ? samples : samples.map(({ t, v }) => ({ t, v, cpu: v }));
  },

  history: ({ params: { metric, bucket } }, { gauges }) => samplesJson(historyOf(ofHost, metric, bucket, gauges)),

  coreMetricsState(_, { gauges }, { say }) {
    const { listen, reason, values } = gauges.core;
    const why = reason ?? (listen === '' ? NOT_CONFIGURED : null);
    const read = why === null ? values : null;
    return {
      enabled: read !== null,
      listen,
      ...(why === null ? {} : { reason: say(why), reasonCode: codeOf(why) }),
      keys: read === null ? [] : [...coreMetrics],
      values: { ...read },
    };
  },

  coreMetricsHistory: ({ params: { metric, bucket } }, { gauges }) =>
    samplesJson(historyOf(ofCore, metric, bucket, gauges)),

  coreObservatory(_, { gauges }) {
    const { observatory, updatedAt } = gauges.core;
    return observatory.map((one) => ({ ...one, updatedAt }));
  },

  coreObservatoryHistory({ params: { tag, bucket } }, { gauges }) {
    const width = widths.get(bucket);
    if (width === undefined) return reject('BUCKET_INVALID', { value: bucket.slice(0, 100) });
    return samplesJson(gauges.delays(tag, width) ?? reject('OBSERVATORY_TAG_UNKNOWN', { tag }));
  },
};

function historyOf(
  metrics: ReadonlyMap<string, HostMetric | CoreMetric>,
  name: string,
  bucket: string,
  gauges: Gauges,
): readonly Sample[] | Rejection {
  const metric = metrics.get(name);
  const width = widths.get(bucket);
  if (metric === undefined)
    return reject('METRIC_INVALID', { value: name.slice(0, 100), known: [...new Set(metrics.values())] });
  return width === undefined
    ? reject('BUCKET_INVALID', { value: bucket.slice(0, 100) })
    : gauges.history(metric, width);
}

/** The same array is returned until the next reading, so its JSON can be cached. */
const texts = new WeakMap<readonly Sample[], JsonOf<Sample[]>>();

function samplesJson(samples: readonly Sample[] | Rejection): JsonOf<Sample[]> | Rejection {
  if (samples instanceof Rejection) return samples;
  let text = texts.get(samples);
  if (text === undefined) {
    text = JsonOf.from([...samples]);
    texts.set(samples, text);
  }
  return text;
}
