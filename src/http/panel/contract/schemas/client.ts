import { z } from 'zod';
import { message } from '../../../../messages/message.js';
import { isRecord, loose, optionalFlag, optionalText, optionalWhole, Wrong } from './fields.js';
import { type JsonMember, optionalObject, requiredObject } from './json-text.js';

const amount = optionalWhole({ min: 0 });
const member = z.custom<JsonMember>();

/** An element of `settings.clients`, as loosely typed as the clients of 3x-ui send it. Absent members stay absent. */
export const WireClient = z
  .object({
    id: optionalText,
    security: optionalText,
    password: optionalText,
    flow: optionalText,
    reverse: loose('object', (value) => {
      if (value === undefined) return undefined;
      if (value === null || value === '') return { tag: '' };
      const tag = isRecord(value) ? (value['tag'] ?? '') : undefined;
      return typeof tag === 'string' ? { tag } : new Wrong(message('input.notObjectWithTag'));
    }),
    auth: optionalText,
    method: optionalText,
    email: optionalText,
    limitIp: amount,
    /** Bytes, despite its name. */
    totalGB: amount,
    /** Milliseconds since 1970; negative = a duration that starts with the first use. */
    expiryTime: optionalWhole(),
    enable: optionalFlag,
    tgId: optionalWhole({ from: 'loose' }),
    subId: optionalText,
    comment: optionalText,
    reset: optionalWhole({ min: 0, from: 'loose' }),
  })
  .catchall(member);
export type WireClient = z.output<typeof WireClient>;

const Settings = z.object({ clients: z.array(WireClient).nullish() }).catchall(member);

/** Protocol settings with their clients. */
export const SettingsText = optionalObject.pipe(Settings.optional());
/** Settings of which only the clients are read. */
export const ClientsText = requiredObject.pipe(Settings);

/** One client's counters and limits, as `clientStats` and `getClientTraffics` answer them. */
export const ClientTraffic = z
  .object({
    /** The panel's number for the client, not its UUID. */
    id: z.int(),
    inboundId: z.int(),
    /** False as well for a client over its cap or expiry. */
    enable: z.boolean(),
    email: z.string(),
    uuid: z.string(),
    subId: z.string(),
    up: z.int(),
    down: z.int(),
    allTime: z.int(),
    expiryTime: z.int(),
    total: z.int(),
    reset: z.int(),
    /** Milliseconds since 1970; 0 = never. */
    lastOnline: z.int(),
  })
  .meta({ id: 'ClientTraffic' });
export type ClientTraffic = z.output<typeof ClientTraffic>;
