import { createReadStream, openSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Download } from './context.js';

/**
 * Sends a file as fast as the caller reads it, and takes its name away before the first byte: it is gone when the last
 * one is out, when the caller leaves, and when this process dies.
 */
export function sendFile(res: ServerResponse, { path, name, bytes }: Download): void {
  const fd = openSync(path, 'r');
  rmSync(path, { force: true });
  res.writeHead(200, {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename="${name}"`,
    'Content-Length': bytes,
  });
  const source = createReadStream(path, { fd });
  if (res.req.method === 'HEAD') {
    source.destroy();
    res.end();
    return;
  }
  // Who goes away, or stops reading until the socket gives up, is nobody's fault.
  pipeline(source, res, () => undefined);
}
