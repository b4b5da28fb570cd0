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
  ])('of another program is verbatim, although it looks like ours: %j', (error) => {
    expect(textOfIssue(error)).toStrictEqual(verbatim(error));
  });

  it.each(['', '{', 'x', '{"code":7,"params":{}}', '{"code":"x"}', 'null', '[]'])(
    'with our mark before %j is verbatim without it',
    (rest) => {
      const mark = encoded(verbatim('')).replace('{"verbatim":""}', '');
      expect(textOfIssue(mark + rest)).toStrictEqual(verbatim(rest));
    },
  );

  it('is read without an error, whatever it is', () => {
    fc.assert(
      fc.property(fc.string(), (error) => {
        expect(textOfIssue(error)).toStrictEqual(verbatim(error));
        expect(textOfIssue(encoded(verbatim(error)))).toStrictEqual(verbatim(error));
      }),
    );
  });
});
