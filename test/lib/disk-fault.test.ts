import { describe, expect, it } from 'vitest';
import { storageRejection } from '../../src/commands/storage.js';
import { StorageError } from '../../src/events/log/log.js';
import { diskFault } from '../../src/lib/errors/disk-fault.js';
import { verbatim } from '../../src/messages/message.js';

const failed = (code: string, syscall = 'open') => Object.assign(new Error(code), { code, syscall });

describe('an error of the disk', () => {
  it.each([
    ['ENOSPC', 'STORAGE_FULL'],
    ['EDQUOT', 'STORAGE_FULL'],
    ['SQLITE_FULL', 'STORAGE_FULL'],
    ['EROFS', 'STORAGE_READ_ONLY'],
    ['EACCES', 'STORAGE_READ_ONLY'],
    ['SQLITE_READONLY_DIRECTORY', 'STORAGE_READ_ONLY'],
    ['EIO', 'STORAGE_FAILED'],
    ['SQLITE_IOERR_READ', 'STORAGE_FAILED'],
    ['SQLITE_CORRUPT_INDEX', 'STORAGE_FAILED'],
    ['SQLITE_CANTOPEN', 'STORAGE_FAILED'],
  ])('%s is %s, also as the cause of another', (code, rejection) => {
    expect(storageRejection(failed(code))).toMatchObject({ code: rejection });
    expect(storageRejection(new Error('it failed', { cause: failed(code) }))).toMatchObject({ code: rejection });
  });

  it('is distinguished from network and program errors', () => {
    for (const error of [
      failed('EACCES', 'connect'),
      failed('ENOENT'),
      failed('SQLITE_CONSTRAINT'),
      new Error('x'),
      'EIO',
    ])
      expect(diskFault(error)).toBeNull();
  });

  it('keeps the message of the log', () => {
    expect(storageRejection(new StorageError('busy', verbatim('x')))).toMatchObject({ code: 'STORAGE_BUSY' });
    expect(storageRejection(new StorageError('read-only', verbatim('the reason')))?.message).toBe(
      'Nothing can be written: the reason',
    );
  });
});
