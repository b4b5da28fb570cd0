import { describe, expect, it } from 'vitest';
import { redact } from '../../../../src/commands/reactors/nodes/redact.js';
import type { DesiredClient } from '../../../../src/events/node/desired-state.js';
import { message, verbatim } from '../../../../src/messages/message.js';

const ID = '7f1b1a3e-6c54-4b6e-9d7a-3d2f6d1c9a11';
const client = (number: number, email: string, more: object = {}): DesiredClient => ({
  ...{ number: number as DesiredClient['number'], email, enabled: true, capBytes: 0, digest: '', credential: '' },
  text: JSON.stringify({ ...more, security: 'aes-128-gcm', flow: 'xtls-rprx-vision', email }),
});
const clients = [client(3, 'Kim@x.example', { id: ID }), client(4, 'zoe', { password: 'correct horse' })];

describe('the redacted message of a node', () => {
  it.each([
    ['remote: Duplicate email: kim@x.example', 'remote: Duplicate email: client 3'],
    ['remote: "ZOE" is there already.', 'remote: "client 4" is there already.'],
    ['remote: zoe, Kim@x.example: both', 'remote: client 4, client 3: both'],
    [`remote: id ${ID} is taken`, 'remote: id … is taken'],
    ['remote: xtls-rprx-vision needs security', 'remote: xtls-rprx-vision needs security'],
    ['remote: kimono', 'remote: kimono'],
  ])('%s', (said, kept) => {
    expect(redact(verbatim(said), clients)).toStrictEqual(verbatim(kept));
    const declined = (why: string) => message('node.declined', { why: verbatim(why) });
    expect(redact(declined(said), clients)).toStrictEqual(declined(kept));
  });
});
