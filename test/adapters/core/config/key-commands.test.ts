import { describe, expect, it } from 'vitest';
import { keyCommands } from '../../../../src/adapters/core/config/key-commands.js';

/** Key commands of an executable with this output, and its arguments. */
function printing(output: string) {
  const asked: (readonly string[])[] = [];
  const ask = async (args: readonly string[]) => {
    asked.push(args);
    return output;
  };
  return { keys: keyCommands(ask), asked };
}

describe('key commands', () => {
  it('find values by their labels, among any other output', async () => {
    const { keys } = printing('Xray 99\nVerify (public): v-1_\r\n\nHash32: zzz\n  Seed:\n s-1_==\n');
    expect(await keys.mldsa65()).toEqual({ seed: 's-1_==', verify: 'v-1_' });
    const other = printing('Hash32: h\nClient: c\nSeed: s\n');
    expect(await other.keys.mlkem768()).toEqual({ seed: 's', client: 'c' });
  });

  it('read every authentication, with or without commas', async () => {
    const { keys } = printing(
      'Choose one.\n\nAuthentication: New, Good\n"encryption": "a.b.e-1",\n"decryption": "a.b.d-1"\n\nAuthentication: Old\n"decryption": "d2"\n"encryption": "e2"\n',
    );
    expect(await keys.vlessEncryption()).toEqual([
      { label: 'New, Good', decryption: 'a.b.d-1', encryption: 'a.b.e-1' },
      { label: 'Old', decryption: 'd2', encryption: 'e2' },
    ]);
  });

  it('pass a name in the same argument as its option, so that it cannot be an option itself', async () => {
    const { keys, asked } = printing('ECH config list: \nAF7+/==\nECH server keys: \nACAk\n');
    expect(await keys.ech('--help')).toEqual({ configList: 'AF7+/==', serverKeys: 'ACAk' });
    expect(asked).toEqual([['tls', 'ech', '--serverName=--help']]);
  });

  it('read a certificate and its key, among any other output', async () => {
    const { keys, asked } = printing(
      'Xray 99\n{"certificate": ["-a-", "b"], "key": ["-BEGIN RSA PRIVATE KEY-", "c"]}\n',
    );
    const key = ['-BEGIN PRIVATE KEY-', 'c'];
    expect(await keys.selfSigned('a.example')).toEqual({ certificate: ['-a-', 'b'], key });
    expect(asked).toEqual([['tls', 'cert', '--domain=a.example', '--name=a.example', '--expire=87600h']]);
  });

  it.each(['', 'Seed: only-half', 'Seed: not a key\nVerify: two words'])(
    'reject output without a key, and do not quote it: %j',
    async (output) => {
      const { keys } = printing(output);
      for (const ask of [
        keys.mldsa65,
        keys.mlkem768,
        keys.vlessEncryption,
        () => keys.selfSigned('a.example'),
        () => keys.ech('a.example'),
      ]) {
        await expect(ask()).rejects.toMatchObject({
          name: 'CoreError',
          kind: 'refused',
          message: expect.not.stringContaining('only-half') as string,
        });
      }
    },
  );
});
