import { z } from 'zod';
import { NodeError, type Nodes } from '../../commands/ports/nodes.js';
import type { Web } from '../../commands/ports/web.js';
import { isObject, textOf } from '../../lib/json.js';
import { askNode } from './request.js';

const TIMEOUT_MS = 4000;
/** A status is about a thousand bytes. */
const LIMIT = 64 * 1024;

const amount = z.number().nonnegative().catch(0);
const Core = z
  .object({ version: z.string().catch('') })
  .optional()
  .catch(undefined);
/** As much as is read of a status; what is missing or of another kind reads as nothing. */
const Status = z.object({
  cpu: amount,
  mem: z.object({ current: amount, total: amount }).catch({ current: 0, total: 0 }),
  core: Core,
  xray: Core,
  uptime: amount,
});

/** Panels of ours, and of 3x-ui 3.0. */
export function createNodes(web: Web): Nodes {
  return {
    async probe(node) {
      const start = performance.now();
      const obj = await askNode(web, node, {
        path: 'panel/api/server/status',
        timeoutMs: TIMEOUT_MS,
        limit: LIMIT,
      });
      const latencyMs = Math.round(performance.now() - start);
      const status = Status.safeParse(obj);
      // 3x-ui has none for its first seconds.
      if (!status.success) throw noStatus();
      const { cpu, mem, core, xray, uptime } = status.data;
      const panelId = panelIdOf(obj, node.token);
      const version = withoutToken((core ?? xray)?.version ?? '', node.token);
      return {
        kind: panelId === '' ? '3x-ui' : 'portolan',
        panelId,
        cpu: percent(cpu),
        mem: percent(mem.total > 0 ? (mem.current / mem.total) * 100 : 0),
        coreVersion: withoutToken(versionText(version), versionText(node.token)).slice(0, 40),
        uptimeSecs: Math.min(Math.floor(uptime), Number.MAX_SAFE_INTEGER),
        latencyMs,
      };
    },
  };
}

/** The lasting name that a panel gives itself in its status; empty when it has none. Throws `NodeError` without a status. */
export function panelIdOf(status: unknown, token: string): string {
  if (!isObject(status)) throw noStatus();
  const panelId = textOf(status['panelId']);
  return /^[\w-]{1,64}$/.test(panelId) ? withoutToken(panelId, token) : '';
}

const noStatus = (): NodeError => new NodeError('not-an-envelope', 'decode response: the remote panel tells no status');

/** Two digits behind the point are more than anybody reads. */
const percent = (value: number): number => Math.round(Math.min(value, 100) * 100) / 100;

const versionText = (text: string): string => text.replace(/[^\w.+-]/g, '');

/** What a panel says of itself is kept in the open: nothing of it where it hands back the token that it was asked with. */
function withoutToken(text: string, token: string): string {
  return token !== '' && text.includes(token) ? '' : text;
}
