import { z } from 'zod';
import { ReleaseError } from '../../commands/ports/releases.js';
import { type Web, WebError } from '../../commands/ports/web.js';
import { message } from '../../messages/message.js';

/** The part of a GitHub release that is used here. */
const Release = z.object({
  tag_name: z.string().max(100),
  draft: z.boolean().default(false),
  assets: z.array(z.object({ name: z.string(), browser_download_url: z.string() })).default([]),
});
export type Release = z.output<typeof Release>;

/** A page of thirty releases with fifty files each is about 4 MB. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 20_000;

/** The releases at an address. Rejects with `ReleaseError`. */
export const releasesAt = async (web: Web, url: string): Promise<readonly Release[]> =>
  parsed(z.array(Release), await get(web, url, MAX_REPLY_BYTES));

/** The one release at an address. Rejects with `ReleaseError`. */
export const releaseAt = async (web: Web, url: string): Promise<Release> =>
  parsed(Release, await get(web, url, MAX_REPLY_BYTES));

/** A small text, such as a checksum. Rejects with `ReleaseError`. */
export const textAt = async (web: Web, url: string): Promise<string> =>
  (await get(web, url, 64 * 1024)).toString('utf8');

async function get(web: Web, url: string, limit: number): Promise<Buffer> {
  const headers = { accept: 'application/vnd.github+json, application/octet-stream;q=0.9, */*;q=0.5' };
  const { status, body } = await web.request(url, { limit, timeoutMs: TIMEOUT_MS, headers }).catch(asRelease);
  if (status !== 200) throw new ReleaseError(message('network.status', { host: new URL(url).host, status }));
  return body;
}

function parsed<T>(schema: z.ZodType<T>, body: Buffer): T {
  try {
    return schema.parse(JSON.parse(body.toString('utf8')));
  } catch (error) {
    throw new ReleaseError(message('releases.listUnreadable'), { cause: error });
  }
}

/** Turns a network error into a `ReleaseError`; rethrows everything else. */
export function asRelease(error: unknown): never {
  if (error instanceof WebError) throw new ReleaseError(error.text, { cause: error });
  throw error;
}

/** The URL of a file of a release. Throws `ReleaseError` when it has no file of that name. */
export function assetOf({ tag_name, assets }: Release, name: string): string {
  const found = assets.find((asset) => asset.name === name);
  if (found === undefined) throw new ReleaseError(message('releases.assetMissing', { tag: tag_name, name }));
  return found.browser_download_url;
}

/** The SHA-256 in a checksum file: of `openssl dgst` (`SHA2-256= …`) or of `sha256sum` (`… name`). */
export function checksumIn(text: string): string {
  const found =
    /^SHA(?:2-)?256(?:\s*\([^)\n]*\))?\s*=\s*([0-9a-f]{64})\s*$/im.exec(text)?.[1] ??
    /^([0-9a-f]{64})(?:\s+\S+)?\s*$/i.exec(text)?.[1];
  if (found === undefined) throw new ReleaseError(message('releases.checksumMissing'));
  return found.toLowerCase();
}

/** `v1.2.3` or `1.2.3` → `1.2.3`; null for any other tag. */
export const versionOf = (tag: string): string | null => /^v?(\d{1,6}\.\d{1,6}\.\d{1,6})$/.exec(tag)?.[1] ?? null;
