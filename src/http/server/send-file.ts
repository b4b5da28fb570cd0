import { once } from 'node:events';
import { createReadStream, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Download } from '../panel/outcomes.js';

/**
 * Sends a file at the speed of the caller. One that is not kept is unlinked before the first byte, so that it disappears when
 * it was sent, when the caller disconnects, or when this process dies. Rejects, with nothing sent, when it cannot be read.
 */
export async function sendFile(res: ServerResponse, { path, name, bytes, isKept }: Download): Promise<void> {
  const fd = openSync(path, 'r');
  // Files that cannot be unlinked are deleted at the next start of the panel.
  if (!isKept) await rm(path, { force: true }).catch(() => undefined);
  const source = createReadStream(path, { fd });
  await once(source, 'readable');
  res.writeHead(200, {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename="${name}"`,
    'Content-Length': bytes,
  });
  if (res.req.method === 'HEAD') {
    source.destroy();
    res.end();
    return;
  }
  // A client that disconnects or stops reading is not an error of the panel.
  pipeline(source, res, () => undefined);
}
