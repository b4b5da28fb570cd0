import { describe, expect, it } from 'vitest';
import { readObject } from '../../../../src/http/panel/contract/schemas/json-text.js';
import { readJson } from '../../../../src/http/server/json-body.js';
import { message } from '../../../../src/messages/message.js';

describe('an unpaired surrogate', () => {
  it.each(['{"email":"e\\ud801"}', '{"a":[{"b":"\\uDC00x"}]}', '{"\\ud800":1}', '["\\uD83D\\uD83D\\uDE00"]'])(
    'is rejected in a body: %s',
    (text) => {
      expect(() => readJson(Buffer.from(text))).toThrow('The body contains text that is not valid Unicode');
    },
  );

  it.each(['{"clients":[{"email":"e\\ud801"}]}', '{"tag":"t\\ud800"}', '{"a":{"\\udfff":1}}'])(
    'is rejected in a JSON string inside a body: %s',
    (text) => {
      const { settings } = readJson(Buffer.from(JSON.stringify({ settings: text }))) as { settings: string };
      expect(readObject(settings)).toMatchObject({ why: message('input.notUnicode') });
    },
  );

  it('is accepted as a pair with the other half', () => {
    const text = '{"a":"\\ud83d\\ude00 \\\\ud800 ok","clients":[{"email":"\\ud83d\\ude00"}]}';
    expect(readJson(Buffer.from(text))).toStrictEqual(JSON.parse(text));
    expect(readObject(text)).toStrictEqual(JSON.parse(text));
  });
});
