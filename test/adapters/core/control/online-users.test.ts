import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encode } from '../../../../src/adapters/core/control/messages.js';
import { decodeOnline } from '../../../../src/adapters/core/control/online-users.js';
import { clientOfAccount } from '../../../../src/lib/account-name.js';

const names = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 9 }), fc.string({ unit: 'binary' })).map(([number, name]) => `${number}:${name}`),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '007:a', '12', '1234567890123456:a'),
);
const address = fc.record({ ip: fc.oneof(fc.ipV4(), fc.ipV6()), last_seen: fc.nat() });
const users = fc.array(fc.record({ email: names, ips: fc.array(address, { maxLength: 4 }) }));

it('online users are decoded as their messages say, by client', () => {
  fc.assert(
    fc.property(users, (all) => {
      const expected = new Map<number, { readonly ip: string; readonly at: number }[]>();
      for (const { email, ips } of all) {
        const client = clientOfAccount(email);
        if (client === 0) continue;
        const more = ips.map(({ ip, last_seen: seconds }) => ({ ip, at: seconds * 1000 }));
        expected.set(client, [...(expected.get(client) ?? []), ...more]);
      }
      const bytes = encode('xray.app.stats.command.GetUsersStatsResponse', { users: all });
      expect(decodeOnline(bytes)).toStrictEqual([...expected].map(([client, ips]) => ({ client, ips })));
      if (bytes.length > 0) expect(() => decodeOnline(bytes.subarray(0, -1))).toThrow(RangeError);
    }),
  );
});
