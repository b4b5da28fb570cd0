import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { encoded, issue, issueOf, textOfIssue } from '../../src/messages/issue.js';
import { message, type Text, verbatim } from '../../src/messages/message.js';

/** The text of the issue that zod reports for this error string. */
function throughZod(error: string): Text {
  const { error: refused } = z.string({ error }).safeParse(7);
  return issueOf(refused ?? { issues: [] });
}

describe('the error string of a schema', () => {
  it.each<Text>([
    message('input.notBetween', { min: 1, max: 9 }),
    message('node.declined', { why: message('input.invalid') }),
    verbatim('words of another program'),
    verbatim('{"code":"x","params":{}}'),
  ])('carries a text through zod: %j', (text) => {
    expect(throughZod(encoded(text))).toStrictEqual(text);
  });

  it('carries a message', () => {
    expect(throughZod(issue('input.tooLong', { limit: 5 }))).toStrictEqual(message('input.tooLong', { limit: 5 }));
  });

  it.each([
    '',
    '{"code":"INBOUND_NOT_FOUND","params":{"inbound":1}}',
    '{"code":"',
    '{"code":"x"',
    '{"verbatim":"x"}',
    'Invalid input: expected string, received {"code":"x","params":{}}',
  ])('of another program is not used, although it looks like ours: %j', (error) => {
    expect(textOfIssue({ message: error })).toStrictEqual(message('input.invalid'));
  });

  it.each(['', '{', 'x', '{"code":7,"params":{}}', '{"code":"x"}', 'null', '[]'])(
    'with our mark before %j is verbatim without it',
    (rest) => {
      const mark = encoded(verbatim('')).replace('{"verbatim":""}', '');
      expect(textOfIssue({ message: mark + rest })).toStrictEqual(verbatim(rest));
    },
  );

  it('is read without an error, whatever it is', () => {
    fc.assert(
      fc.property(fc.string(), (error) => {
        expect(textOfIssue({ message: error })).toStrictEqual(message('input.invalid'));
        expect(textOfIssue({ message: encoded(verbatim(error)) })).toStrictEqual(verbatim(error));
      }),
    );
  });
});

describe('a check without its own text', () => {
  it.each<[string, z.ZodType, unknown, Text]>([
    ['a string', z.string(), 7, message('input.notString')],
    ['a boolean', z.boolean(), 'x', message('input.notBoolean')],
    ['a number', z.number(), 'x', message('input.notNumber')],
    ['a whole number', z.int(), 1.5, message('input.notWholeNumber')],
    ['a safe number', z.int(), 2 ** 60, message('input.atMost', { max: Number.MAX_SAFE_INTEGER })],
    ['a range', z.number().max(9), 10, message('input.atMost', { max: 9 })],
    ['the other end of a range', z.number().min(1), 0, message('input.atLeast', { min: 1 })],
    ['a list', z.array(z.string()), {}, message('input.notList')],
    ['an object', z.object({}), 7, message('input.notObject')],
    ['a record', z.record(z.string(), z.string()), 7, message('input.notObject')],
    ['a required member', z.object({ a: z.unknown().nonoptional() }), {}, message('input.missing')],
    ['known members', z.strictObject({}), { a: 1, b: 2 }, message('input.unknownMembers', { members: ['a', 'b'] })],
    ['a choice', z.enum(['a', 'b']), 'c', message('input.notOneOf', { known: ['a', 'b'] })],
    ['a constant', z.literal(7), 8, message('input.notOneOf', { known: ['7'] })],
    ['a long string', z.string().max(2), 'abc', message('input.tooLong', { limit: 2 })],
    ['a short string', z.string().min(2), 'a', message('input.tooShort', { minimum: 2 })],
    ['a long list', z.array(z.string()).max(1), ['a', 'b'], message('input.tooManyEntries', { limit: 1 })],
    ['a pattern', z.string().regex(/^x$/), 'secret', message('input.invalid')],
    ['a URL', z.url(), 'secret', message('input.invalid')],
    ['a condition', z.string().refine(() => false), 'secret', message('input.invalid')],
    ['a union', z.union([z.string(), z.boolean()]), 7, message('input.invalid')],
    ['a date', z.date(), 7, message('input.invalid')],
  ])('has a message of the catalogue: %s', (_, schema, value, text) => {
    expect(issueOf(schema.safeParse(value).error ?? { issues: [] })).toStrictEqual(text);
  });
});
