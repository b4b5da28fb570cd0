import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { destroyOutgoing } from '../../../../src/adapters/core/attribution/disconnect.js';
import { idleFor, openUdp, quietFor } from '../../../../src/adapters/core/attribution/sockets.js';
import { temporaryFolder } from '../../../kit/log.js';
import { withoutRight } from '../../../kit/real/rights.js';

/** An `ss` that always prints this. */
function says(text: string): void {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'ss'), `#!/bin/sh\ncat <<'END'\n${text}\nEND\n`);
  chmodSync(join(folder, 'ss'), 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
}

it('a socket is idle for 0 ms if ss omits its last activity', async () => {
  const socket = (port: number, times: string) =>
    `ESTAB 0 0 [::ffff:127.0.0.1]:${port} [::ffff:127.0.0.2]:${port + 1}\n\t bbr rto:204 ${times} rcv_space:1`;
  says(
    [
      socket(10, 'lastsnd:90 lastrcv:3000 lastack:4000'),
      socket(20, 'lastsnd:5000 lastack:3000'),
      socket(30, 'lastrcv:7000 lastack:6000'),
      'ESTAB 0 0 127.0.0.1:40 127.0.0.1:41',
    ].join('\n'),
  );
  try {
    const peers = new Set(['127.0.0.2:11', '127.0.0.2:21', '127.0.0.2:31', '127.0.0.1:41', '127.0.0.1:99']);
    expect([...(await quietFor(peers))]).toEqual([
      ['127.0.0.2:11', 3000],
      ['127.0.0.2:21', 0],
      ['127.0.0.2:31', 6000],
    ]);
    expect([...(await idleFor(new Set(['127.0.0.1:10', '127.0.0.1:30'])))]).toEqual([
      ['127.0.0.1:10', 90],
      ['127.0.0.1:30', 0],
    ]);
    says('UNCONN 0 0 *:5001 *:*');
    expect([...((await openUdp(new Set(['[::]:5001', '[::]:5002']))) ?? [])]).toEqual(['[::]:5001']);
  } finally {
    vi.unstubAllEnvs();
  }
});

const UDP_PORTS = 'closes a UDP port of the core, but not one that another process was given since';
it.skipIf(withoutRight(UDP_PORTS))(UDP_PORTS, async () => {
  const socket = createSocket('udp4');
  const failed = once(socket, 'error');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  const outgoing = [{ network: 'udp', local: `127.0.0.1:${port}`, remote: '127.0.0.1:53' }] as const;
  const receives = async (): Promise<string> => {
    const got = once(socket, 'message');
    const sender = createSocket('udp4');
    sender.send('here', port, '127.0.0.1');
    const [bytes] = (await Promise.race([got, failed])) as [Buffer | Error];
    sender.close();
    return String(bytes);
  };

  await destroyOutgoing(process.ppid, outgoing);
  expect(await receives()).toBe('here');
  await destroyOutgoing(process.pid, outgoing);
  expect(await receives()).toMatch(/ECONNABORTED|EPIPE|recvmsg/);
  socket.close();
});
