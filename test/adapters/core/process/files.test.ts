import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../../../src/adapters/core/process/files.js';
import { CoreError } from '../../../../src/commands/ports/core.js';
import { message } from '../../../../src/messages/message.js';
import { temporaryFolder } from '../../../kit/log.js';

const NOBODY = 65_534;

function failureOf(folder: string): unknown {
  try {
    return makeFolder(folder);
  } catch (error) {
    return error;
  }
}

/** A folder of another account: only root can give one away. */
function foreignFolder(): string {
  if (process.getuid?.() !== 0) return '/';
  const folder = temporaryFolder();
  chownSync(folder, NOBODY, NOBODY);
  return folder;
}

describe('a folder of the core', () => {
  it('is not used when it belongs to another account', () => {
    const folder = foreignFolder();
    const error = failureOf(folder);
    expect(error).toBeInstanceOf(CoreError);
    expect(error).toMatchObject({ kind: 'refused', text: message('core.folderForeign', { folder }) });
  });

  it('cannot be below a file', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const path = join(file, 'run');
    const error = failureOf(path);
    expect(error).toBeInstanceOf(CoreError);
    expect(error).toMatchObject({ kind: 'refused', text: message('file.notFolder', { path }) });
  });
});
