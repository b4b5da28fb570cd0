import { z } from 'zod';

/**
 * The member beside a text in a reply: the code of the text, which is the same in all languages and stays when the wording
 * changes. Null where there is no text, and for words of another program.
 */
export const TextCode = z.string().nullable().meta({ id: 'TextCode' });
