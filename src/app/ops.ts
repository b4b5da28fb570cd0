import type { Config } from '../config.js';
import type { FollowerStatus } from '../followers/pool.js';
import { clientFigures } from '../http/ops/client-metrics.js';
import { createMetrics } from '../http/ops/metrics.js';
import { coreNotReadyReason, createOpsServer, panelNotReadyReason } from '../http/ops/ops-server.js';
import { render } from '../messages/render.js';
import { refusedByDisk } from '../store/storage-watch.js';
import { version } from '../version.js';
import type { Panel } from './panel.js';

/** The server of readiness and metrics, not bound yet. */
export function createOps(panel: Panel, config: Config, followers: () => readonly FollowerStatus[]) {
  const { read, log, now, store } = panel;
  const storageProblem = () => {
    const text = store.startup.complaint ?? refusedByDisk(panel);
    return text && render(text, 'en');
  };
  return createOpsServer({
    panel: () => storageProblem() ?? panelNotReadyReason(read, log),
    core: () => coreNotReadyReason(read),
    metrics: createMetrics({ read, log, version, now, writable: () => storageProblem() === null, followers }),
    clients: config.METRICS_CLIENTS ? () => clientFigures(read) : null,
  });
}
