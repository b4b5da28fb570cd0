import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { Status } from '../contract/schemas/status.js';
import { TextCode } from '../contract/schemas/text-code.js';

const StatusMessage = z.object({ type: z.literal('status'), data: Status });
const CoreStateMessage = z.object({ type: z.literal('xrayState'), data: z.enum(['running', 'stop', 'error']) });
/** `title` and `body` are in the language of the upgrade request. */
const NotificationMessage = z.object({
  type: z.literal('notification'),
  title: z.string(),
  titleCode: TextCode,
  body: z.string(),
  bodyCode: TextCode,
  severity: z.enum(['success', 'warning', 'error']),
});
const InvalidateMessage = z.object({
  type: z.literal('invalidate'),
  resource: z.enum([
    'inbounds',
    'outbounds',
    'core',
    'settings',
    'users',
    'nodes',
    'custom-geo',
    'webhooks',
    'personal-data',
  ]),
});

const Growth = z.tuple([z.int(), z.int(), z.int()]);
/** `[client number, up, down]` and `[inbound id, up, down]`: bytes since the previous message. */
const TrafficMessage = z.object({
  type: z.literal('traffic'),
  clients: z.array(Growth),
  inbounds: z.array(Growth),
  at: z.int(),
});

/** Every message that the panel sends over the WebSocket. */
export const SocketMessage = z
  .union([StatusMessage, CoreStateMessage, NotificationMessage, InvalidateMessage, TrafficMessage])
  .meta({ id: 'SocketMessage' });

/** Describes when each message is sent. */
export const socketMessages = [
  { schema: StatusMessage, when: 'every 2 seconds' },
  { schema: CoreStateMessage, when: 'when the core starts, stops or fails' },
  {
    schema: NotificationMessage,
    when: 'for events that admins should know: the core, a restart, an update, a certificate; in the language of the upgrade',
  },
  {
    schema: InvalidateMessage,
    when: 'when another tab or session changed something: reload the data that is shown',
  },
  { schema: TrafficMessage, when: 'when counters have grown' },
] as const;

export const SOCKET_PATH = '/ws';
export const SOCKET_TAG = {
  name: 'WebSocket',
  description: 'Messages to the browsers of logged-in admins. Messages from a browser are ignored.',
};

/**
 * The upgrade request. OpenAPI has no way to describe the messages that follow, so they are listed as the content of the 101
 * response.
 */
export const socketOperation: ZodOpenApiOperationObject = {
  operationId: 'socket',
  tags: [SOCKET_TAG.name],
  summary: 'Upgrade to a WebSocket; requires a session cookie and the origin of the panel',
  security: [{ session: [] }],
  responses: {
    101: {
      description: 'Switches to WebSocket. Each text message is JSON in this format',
      content: { 'application/json': { schema: SocketMessage } },
    },
    401: { description: 'No session; the Bearer token is not accepted here. No body.' },
    403: { description: 'The request comes from another site. No body.' },
    429: { description: 'Too many sockets for this session or in total. No body.' },
  },
};
