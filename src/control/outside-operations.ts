import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { asSystem } from '../commands/bus.js';
import { secretText } from '../commands/reactors/webhooks/signature.js';
import { Rejection } from '../commands/rejection.js';
import { ClientNumber } from '../events/ids.js';
import { OperatorError } from '../lib/errors/operator-error.js';
import { type Operation, operation } from './operation.js';

const HOUR_MS = 3_600_000;
const MAX_OVERLAP_H = 720;
const SECRET_BYTES = 32;
const MAX_TEXT = 2000;
const MAX_TYPES = 500;

const text = z.string().max(MAX_TEXT);
const whole = z.int().nonnegative();
const clients = z.array(ClientNumber);
const webhook = z.int().positive();
const newSecret = (): string => secretText(randomBytes(SECRET_BYTES));

/** Personal data. */
export const personalDataOperations = {
  'personal-data.exported': operation(
    z.strictObject({ clients, masked: z.boolean(), position: whole }),
    (data, { dispatch }) => void dispatch({ type: 'RecordPersonalDataExport', data }),
  ),

  'personal-data.erase': operation(z.strictObject({ clients, reason: text }), async (data, { undo }) => {
    const done = await undo.change(() => ({ type: 'EraseClients', data }), asSystem('cli'));
    if (done instanceof Rejection) throw new OperatorError(done.text);
    return { position: done.events.find(({ type }) => type === 'PersonalDataErased')?.position ?? 0 };
  }),

  'personal-data.hold': operation(
    z.strictObject({ clients, from: whole, to: whole, reason: text }),
    (data, { dispatch }) => {
      const { events } = dispatch({ type: 'PlaceLegalHold', data });
      return { hold: events.flatMap((event) => (event.type === 'LegalHoldPlaced' ? [event.data.hold] : []))[0] ?? 0 };
    },
  ),

  'personal-data.release': operation(
    z.strictObject({ hold: z.int().positive(), reason: text }),
    (data, { dispatch }) => void dispatch({ type: 'ReleaseLegalHold', data }),
  ),
} as const satisfies Readonly<Record<string, Operation>>;

/** Webhooks. Their secrets are made here and returned once. */
export const webhookOperations = {
  'webhook.add': operation(
    z.strictObject({ name: text, url: text, types: z.array(text).max(MAX_TYPES), after: whole.nullable() }),
    (data, { dispatch }) => {
      const secret = newSecret();
      const { events } = dispatch({ type: 'AddWebhook', data: { ...data, secret } });
      const added = events.flatMap((event) => (event.type === 'WebhookAdded' ? [event.data.webhook] : []));
      return { webhook: added[0] ?? 0, secret };
    },
  ),

  'webhook.rotate': operation(
    z.strictObject({ webhook, overlapHours: z.int().min(0).max(MAX_OVERLAP_H) }),
    ({ overlapHours, ...of }, { dispatch }) => {
      const secret = newSecret();
      dispatch({ type: 'RotateWebhookSecret', data: { ...of, secret, overlapMs: overlapHours * HOUR_MS } });
      return { secret };
    },
  ),

  'webhook.pause': operation(
    z.strictObject({ webhook }),
    (data, { dispatch }) => void dispatch({ type: 'PauseWebhook', data }),
  ),
  'webhook.resume': operation(
    z.strictObject({ webhook }),
    (data, { dispatch }) => void dispatch({ type: 'ResumeWebhook', data }),
  ),
  'webhook.replay': operation(
    z.strictObject({ webhook, after: whole }),
    (data, { dispatch }) => void dispatch({ type: 'ReplayWebhook', data }),
  ),
  'webhook.remove': operation(
    z.strictObject({ webhook }),
    (data, { dispatch }) => void dispatch({ type: 'DeleteWebhook', data }),
  ),
} as const satisfies Readonly<Record<string, Operation>>;
