import type { Config } from '../config.js';
import { clientFigures } from '../http/ops/client-metrics.js';
import type { Metrics } from '../http/ops/metrics.js';
import { coreNotReadyReason, createOpsServer, panelNotReadyReason } from '../http/ops/ops-server.js';
import { render } from '../messages/render.js';
import { storageProblem } from './metrics.js';
import type { Panel } from './panel.js';

/** The server of readiness and metrics, not bound yet. */
export function createOps(panel: Panel, config: Config, metrics: Metrics) {
  const { read, log } = panel;
  const problem = () => {
    const text = storageProblem(panel);
    return text && render(text, 'en');
  };
  return createOpsServer({
    panel: () => problem() ?? panelNotReadyReason(read, log),
    core: () => coreNotReadyReason(read),
    metrics,
    clients: config.METRICS_CLIENTS ? () => clientFigures(read) : null,
  });
}
