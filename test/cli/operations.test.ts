import { describe, expect, it } from 'vitest';
import { dataDirectory, prepareDataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import { scryptPasswords } from '../../src/adapters/passwords/passwords.js';
import { operate } from '../../src/control/control.js';
import { NO_QUOTAS } from '../../src/events/access/access-of.js';
import { OperatorError } from '../../src/lib/errors/operator-error.js';
import { visible } from '../../src/lib/errors/print-problem.js';
import { openJournal } from '../../src/store/journal.js';
import { temporaryFolder } from '../kit/log.js';

const passwordHash = await scryptPasswords().hash('a-good-password');
const access = { role: 'owner', inbounds: [], quotas: NO_QUOTAS };

function place() {
  const { root } = prepareDataDirectory(temporaryFolder());
  const types = (): readonly string[] => {
    const { log } = openJournal(dataDirectory(root), { readonly: true });
    const events = log.read(0, 100).map(({ type }) => type);
    log.close();
    return events;
  };
  return { ask: (type: 'admin.create' | 'admin.reset-password', data: object) => operate(root, type, data), types };
}

describe('an operation on accounts', () => {
  it.each(['\u001b[31mred', ' admin', 'admin ', 'a\u0000b', 'a\u009bb', 'x'.repeat(65), ''])(
    'rejects the user name %j',
    async (username) => {
      const { ask, types } = place();
      await ask('admin.create', { username: 'first', passwordHash, access });
      await expect(ask('admin.create', { username, passwordHash, access })).rejects.toThrow(OperatorError);
      expect(types()).toEqual(['UserCreated']);
    },
  );

  it.each(['', 'plain', '$scrypt$ln=1,r=8,p=5$AAAA$AAAA', `${passwordHash}$`])(
    'rejects the password hash %j',
    async (wrong) => {
      const { ask, types } = place();
      await ask('admin.create', { username: 'first', passwordHash, access });
      for (const [type, username] of [['admin.create', 'second'] as const, ['admin.reset-password', 'first'] as const])
        await expect(
          ask(type, { username, passwordHash: wrong, ...(type === 'admin.create' ? { access } : {}) }),
        ).rejects.toThrow('passwordHash: is not the hash of a password');
      expect(types()).toEqual(['UserCreated']);
    },
  );
});

describe('an operation on the access of an admin', () => {
  it('leaves what it does not name as it is', async () => {
    const { root } = prepareDataDirectory(temporaryFolder());
    await operate(root, 'admin.create', { username: 'first', passwordHash, access });
    await operate(root, 'admin.create', {
      ...{ username: 'second', passwordHash },
      access: { role: 'auditor', inbounds: [], quotas: { ...NO_QUOTAS, clients: 5 } },
    });
    for (const changes of [{ role: 'support' }, { quotas: { days: 7 } }])
      await operate(root, 'admin.role', { username: 'second', ...changes });
    const { log } = openJournal(dataDirectory(root), { readonly: true });
    const data = log.read(0, 100).flatMap((event) => (event.type === 'AdminAccessChanged' ? [event.data] : []));
    log.close();
    expect(data.slice(1)).toStrictEqual([
      { user: 2, role: 'support', inbounds: [], quotas: { ...NO_QUOTAS, clients: 5 } },
      { user: 2, role: 'support', inbounds: [], quotas: { ...NO_QUOTAS, clients: 5, days: 7 } },
    ]);
  });
});

describe('printed output', () => {
  it('shows control characters, and JSON with them keeps its meaning', () => {
    expect(visible('a\u001b[31m\u009b\r\tb\nö\u200c')).toBe('a\\u001b[31m\\u009b\\u000d\tb\nö\u200c');
    const hidden = 'a\u202eb\u2066c\u2028d\u{e0041}\ufeff';
    expect(visible(hidden)).toBe('a\\u202eb\\u2066c\\u2028d\\udb40\\udc41\\ufeff');
    const value = { name: `\u001b[31m\u009b${hidden}` };
    expect(JSON.parse(visible(JSON.stringify(value)))).toEqual(value);
  });
});
