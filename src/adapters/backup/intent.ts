import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { textSchema } from '../../events/text.js';
import { fileProblem } from '../../lib/errors/failure-text.js';
import { MessageError } from '../../messages/error.js';
import { message } from '../../messages/message.js';
import { flush, readRegular, replaceFile } from '../data-directory/files.js';

/**
 * A pending switch of the state. `clear` and `fill` move the state before out and the new one in; `trial` waits for the
 * first start that gets ready; `return-clear` and `return-fill` are the way back, `returned` waits until the log before
 * has it.
 */
const Intent = z.strictObject({
  phase: z.enum(['clear', 'fill', 'trial', 'return-clear', 'return-fill', 'returned']),
  /** Folders inside the data directory: of the new state, of the state before, and of a new one that was taken back. */
  from: z.string().regex(/^staged\/[0-9a-f]{16}$/),
  to: z.string().regex(/^backups\/replaced-[\w-]+$/),
  refused: z.string().regex(/^backups\/refused-[\w-]+$/),
  why: textSchema,
  /** Starts that began to try the new state. */
  tries: z.int().nonnegative(),
  failure: textSchema.nullable(),
});
export type Intent = z.output<typeof Intent>;

const intentOf = (root: string): string => join(root, 'switch.json');

/** Null when no switch is in progress. Throws `MessageError` for a file that cannot be read. */
export function readIntent(root: string): Intent | null {
  const file = intentOf(root);
  try {
    return Intent.parse(JSON.parse(readRegular(file).toString()));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new MessageError(fileProblem(cause) ?? message('backup.stateFileInvalid', { file }), { cause });
  }
}

/** Writes the file atomically and durably. */
export function writeIntent(root: string, intent: Intent): void {
  replaceFile(intentOf(root), `${JSON.stringify(intent)}\n`);
}

export function removeIntent(root: string): void {
  rmSync(intentOf(root), { force: true });
  flush(root);
}
