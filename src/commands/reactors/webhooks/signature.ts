import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/** A secret as an admin sees it, made of random bytes. */
export const secretText = (bytes: Buffer): string => PREFIX + bytes.toString('base64');

/**
 * The headers of a delivery, as Standard Webhooks defines them: the id, the time in seconds, and one HMAC-SHA256 signature of
 * id, time and body for each secret. See https://www.standardwebhooks.com/.
 */
export function signedHeaders(
  id: string,
  body: string,
  now: number,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
