import { z } from 'zod';
import { isText, type Text } from '../messages/message.js';

/** A reason in an event: a message with its parameters, or the output of another program. */
export const textSchema = z.custom<Text>(isText, 'is not a text').meta({
  typeName: 'Text',
  description: 'Why, for people.',
  anyOf: [
    {
      type: 'object',
      properties: {
        code: { type: 'string', description: 'Message code, a key of the files in `locales/`.' },
        params: { type: 'object', description: 'The parameters of the message, by name.' },
      },
      required: ['code', 'params'],
    },
    {
      type: 'object',
      properties: {
        verbatim: { type: 'string', description: 'Output of another program, or an error of the operating system.' },
      },
      required: ['verbatim'],
    },
  ],
});
