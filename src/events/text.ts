import { z } from 'zod';
import { isText, type Text } from '../messages/message.js';

/** A reason in an event: a message with its parameters, or the words of another program. */
export const textSchema = z.custom<Text>(isText, 'is not a text').meta({
  anyOf: [
    {
      type: 'object',
      properties: { code: { type: 'string' }, params: { type: 'object' } },
      required: ['code', 'params'],
    },
    { type: 'object', properties: { verbatim: { type: 'string' } }, required: ['verbatim'] },
  ],
});
