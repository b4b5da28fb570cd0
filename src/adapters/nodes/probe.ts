import { z } from 'zod';
import { NodeError, type NodeReading, type RequestTarget } from '../../commands/ports/remote-panel.js';
import { message } from '../../messages/message.js';
import { invalidMember } from './reply-fields.js';
import type { NodeRequest } from './request.js';

const TIMEOUT_MS = 4000;
/** A status is about a thousand bytes. */
const MAX_REPLY_BYTES = 64 * 1024;

const amount = z.number().nonnegative();
const Core = z.object({ version: z.string().default('') });
/** The part of a status that is used. Missing members have defaults; a member of another type makes the reply invalid. */
const Status = z.object({
  panelId: z.string().default(''),
  cpu: amount.default(0),
  mem: z.object({ current: amount, total: amount }).default({ current: 0, total: 0 }),
  core: Core.optional(),
  xray: Core.optional(),
  uptime: amount.default(0),
});

/** Reads the status of a Portolan or a 3x-ui 3.0. Rejects with `NodeError`. */
export async function probe(
  ask: (node: RequestTarget, request: NodeRequest) => Promise<unknown>,
  node: RequestTarget,
): Promise<NodeReading> {
  const start = performance.now();
  const status = await ask(node, { path: 'panel/api/server/status', timeoutMs: TIMEOUT_MS, limit: MAX_REPLY_BYTES });
  const latencyMs = Math.round(performance.now() - start);
  const { cpu, mem, core, xray, uptime, panelId: own } = readStatus(status);
  const panelId = /^[\w-]{1,64}$/.test(own) ? withoutToken(own, node.token) : '';
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
}

function readStatus(status: unknown): z.output<typeof Status> {
  // A 3x-ui has no status in its first seconds.
  if (status === null) throw noStatus();
  const read = Status.safeParse(status);
  if (read.success) return read.data;
  throw invalidMember(['status', ...(read.error.issues[0]?.path ?? [])].join('.'));
}

const noStatus = (): NodeError => new NodeError('invalid-reply', message('node.replyNoStatus'));

/** Rounded to two digits. */
const percent = (value: number): number => Math.round(Math.min(value, 100) * 100) / 100;

const versionText = (text: string): string => text.replace(/[^\w.+-]/g, '');

/** These values are stored unencrypted, so one that repeats the token is dropped. */
function withoutToken(text: string, token: string): string {
  return token !== '' && text.includes(token) ? '' : text;
}
