import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

interface Plan {
  /** Of a vless inbound over plain TCP. */
  readonly port: number;
  readonly ids: readonly string[];
  readonly everyMs: number;
}

// A target server, and users that stay connected to it through the core. The protocol is implemented here, because a
// thousand client cores would dominate the measurement.
const target = createServer((_request, response) => response.end('a small answer\n'));
target.keepAliveTimeout = 0;

process.once('message', (plan: Plan) => {
  target.listen(0, '127.0.0.1', () => void begin(plan, (target.address() as AddressInfo).port));
});
process.once('disconnect', () => process.exit());

async function begin({ port, ids, everyMs }: Plan, targetPort: number): Promise<void> {
  let left = ids.length;
  for (const [i, id] of ids.entries()) {
    // The core does not count 127.0.0.1 among the addresses that are online.
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    const ask = (): void => void socket.write('GET / HTTP/1.1\r\nHost: target\r\n\r\n');
    socket.once('connect', () => {
      socket.write(header(id, targetPort));
      ask();
      setTimeout(() => setInterval(ask, everyMs), (everyMs * i) / ids.length);
    });
    socket.once('data', () => {
      left -= 1;
      if (left === 0) process.send?.('ready');
    });
    socket.on('data', () => undefined);
    socket.once('error', (error) => {
      console.error('user', i, error.message);
      process.exit(1);
    });
    if (i % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** VLESS request: version 0, id, no addons, TCP, port, IPv4 127.0.0.1. */
function header(id: string, port: number): Buffer {
  const head = Buffer.from(`00${id.replaceAll('-', '')}0001`, 'hex');
  return Buffer.concat([head, Buffer.from([port >> 8, port & 255, 1, 127, 0, 0, 1])]);
}
