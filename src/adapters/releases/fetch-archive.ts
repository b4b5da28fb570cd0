import { ReleaseError } from '../../commands/ports/releases.js';
import type { Web } from '../../commands/ports/web.js';
import { message } from '../../messages/message.js';
import { asRelease, assetOf, checksumIn, type Release, textAt } from './feed.js';

const MAX_BYTES = 200 * 1024 * 1024;
const TIMEOUT_MS = 15 * 60_000;
const IDLE_MS = 20_000;

/** Downloads an archive of a release into a new file, and compares it with its checksum. Rejects with `ReleaseError`. */
export async function fetchArchive(web: Web, release: Release, names: { archive: string; sum: string }, file: string) {
  const address = assetOf(release, names.archive);
  const expected = checksumIn(await textAt(web, assetOf(release, names.sum)));
  const options = { limit: MAX_BYTES, timeoutMs: TIMEOUT_MS, idleMs: IDLE_MS };
  const { sha256 } = await web.download(address, file, options).catch(asRelease);
  if (sha256 !== expected) throw new ReleaseError(message('releases.checksumMismatch'));
  return sha256;
}
