import { z } from 'zod';
import { placeProblem } from '../adapters/proof/file-sink.js';
import { defaultSettings, secretKeys, settingKeys } from '../events/settings/settings.js';
import { OperatorError } from '../lib/errors/operator-error.js';
import { issue } from '../messages/issue.js';
import { message } from '../messages/message.js';
import { operation } from './operation.js';

const MAX_KEY_CHARS = 100;
const MAX_VALUE_CHARS = 100_000;

/** `null` resets the setting to its default. */
const Change = z.strictObject({
  key: z.string().max(MAX_KEY_CHARS, issue('input.tooLong', { limit: MAX_KEY_CHARS })),
  value: z
    .string()
    .max(MAX_VALUE_CHARS, issue('input.tooLong', { limit: MAX_VALUE_CHARS }))
    .nullable(),
});

/** Converts a typed value to the type of the setting. Other values are left for the schema to reject. */
function typed(text: string, byDefault: unknown): unknown {
  if (typeof byDefault === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return typeof byDefault === 'number' && /^-?\d+$/.test(text) ? Number(text) : text;
}

/** Changes of settings by the operator. */
export const configOperations = {
  'config.change': operation(Change, ({ key, value }, { dispatch, dataDir }) => {
    const name = settingKeys.find((known) => known === key);
    if (name === undefined) {
      const secret = secretKeys.some((known) => known === key);
      throw new OperatorError(message(secret ? 'cli.settingSecret' : 'cli.settingUnknown', { key }));
    }
    const changes = { [name]: value === null ? defaultSettings[name] : typed(value, defaultSettings[name]) };
    const inside = value && (name === 'proofFile' || name === 'proofGit') ? placeProblem(value, dataDir) : null;
    if (inside) throw new OperatorError(inside);
    const { events } = dispatch({ type: 'ChangeSettings', data: { changes } });
    return { changed: events.length > 0 };
  }),
} as const;
