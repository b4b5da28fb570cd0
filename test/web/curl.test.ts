import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { curlOf, masked } from '../../web/src/model/curl.js';

const url = new URL('https://panel.example.com/base/panel/api/nodes/add');

/** The arguments of the command, as a shell passes them. */
function argumentsOf(command: string): readonly string[] {
  const script = `curl() { for a in "$@"; do printf '%s\\0' "$a"; done; }; ${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { TOKEN: 't', SESSION_COOKIE: 'c' } })
    .split('\0')
    .slice(0, -1);
}

describe('a request as a curl command', () => {
  it('reaches the shell unchanged, whatever the values contain', () => {
    const body = { name: `it's "$(id)" \`x\` \\ \u202e \u{e0001}`, list: [1, null] };
    const command = curlOf({ url, body }, true);
    // Marks of direction would reorder the command on the screen.
    expect(command).not.toMatch(/\p{Cf}/u);
    const found = argumentsOf(command);
    expect(found.slice(0, 3)).toStrictEqual(['-X', 'POST', url.href]);
    expect(found).toContain('Authorization: Bearer t');
    expect(JSON.parse(found.at(-1) ?? '')).toStrictEqual(body);
  });

  it('takes a session where the route does not accept a token', () => {
    const setting = new URL('https://panel.example.com/panel/setting/update');
    const command = curlOf({ url: setting, body: {} }, false);
    expect(command).toContain('"Cookie: $SESSION_COOKIE"');
    expect(command).not.toContain('Bearer');
  });

  it('names the file of an upload', () => {
    const body = new FormData();
    body.append('db', new File(['x'], 'backup.db'));
    body.append('passphrase', 'hunter2');
    expect(argumentsOf(curlOf({ url, body }, false)).slice(-4)).toStrictEqual([
      '-F',
      'db=@backup.db',
      '-F',
      'passphrase=***',
    ]);
  });

  it('masks secrets, also in JSON within a text', () => {
    const id = '11111111-2222-4333-8444-555555555555';
    const settings = JSON.stringify({ clients: [{ id, email: 'a', subId: 's', password: 'p' }], decryption: 'none' });
    const stream = JSON.stringify({ realitySettings: { privateKey: 'k', shortIds: ['ab'] } });
    expect(
      masked({ id: 7, settings, stream, certificateFile: '/etc/cert.pem', key: ['a', 'b'], keyFile: '/k' }),
    ).toStrictEqual({
      id: 7,
      settings: '{"clients":[{"id":"***","email":"a","subId":"***","password":"***"}],"decryption":"none"}',
      stream: '{"realitySettings":{"privateKey":"***","shortIds":["ab"]}}',
      certificateFile: '/etc/cert.pem',
      key: ['***', '***'],
      keyFile: '/k',
    });
  });
});
