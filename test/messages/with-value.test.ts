import { describe, expect, it } from 'vitest';
import { issue, textOfIssue } from '../../src/messages/issue.js';
import { message, type Text } from '../../src/messages/message.js';
import { render } from '../../src/messages/render.js';
import { withValue } from '../../src/messages/with-value.js';

const shown = (problem: Text, value: unknown) => render(withValue(problem, value), 'en');

describe('a problem with its value', () => {
  it.each<[Text, unknown, string]>([
    [message('input.notBetween', { min: 1, max: 9 }), 10, 'must be 1 to 9 (value: 10)'],
    [message('input.notWholeNumber'), '4a"3', String.raw`must be a whole number (value: "4a\"3")`],
    [message('settings.notAddress'), 'here', 'must be an IP address or empty (value: "here")'],
    [textOfIssue({ message: issue('input.notBoolean') }), 'maybe', 'must be true or false (value: "maybe")'],
  ])('shows a number, a name or an address', (problem, value, text) => {
    expect(shown(problem, value)).toBe(text);
  });

  it.each<Text>([
    message('settings.notBase32'),
    message('settings.notSocksProxy'),
    message('settings.urlCredentials'),
    message('input.notWireGuardKey'),
    message('input.tooLong', { limit: 5 }),
    message('input.notString'),
    message('input.invalid'),
    message('input.notJson'),
  ])('never shows what may be a secret: $code', (problem) => {
    expect(withValue(problem, 'secret')).toBe(problem);
  });

  it.each([[[1]], [{ a: 1 }], [null], [undefined], [true], ['x'.repeat(101)]])('leaves out %j', (value) => {
    const problem = message('input.notWholeNumber');
    expect(withValue(problem, value)).toBe(problem);
  });
});
