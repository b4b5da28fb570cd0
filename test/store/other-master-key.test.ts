import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addClient } from '../cluster/members.js';
import { TestLog } from '../kit/log.js';

describe('a log with the key file of another panel', () => {
  it('is refused at the start with the name of the file and the way out, and is left as it was', () => {
    const log = new TestLog();
    addClient(log, 1);
    const before = log.all();
    const { masterKey } = log.directory;
    const own = readFileSync(masterKey);
    writeFileSync(masterKey, `${'ab'.repeat(32)}\n`);
    expect(() => log.reopen()).toThrow(
      `The key file ${masterKey} is that of another panel: it decrypts none of the keys in this log. Restore the key file`,
    );
    writeFileSync(masterKey, own);
    log.reopen();
    expect(log.all()).toEqual(before);
  });
});
