/**
 * Sites with TLS 1.3 and HTTP/2 that a REALITY inbound can imitate until the admin names one near the server. The core warns
 * about names of Apple and Microsoft, and about .cn, .ir and .ru. Not the same one for all panels, which would identify them.
 */
const SITES = ['www.amazon.com', 'www.nvidia.com', 'www.amd.com', 'www.intel.com', 'www.oracle.com', 'www.samsung.com'];

/** One of the sites, at random. */
export function imitable(): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return SITES[random % SITES.length] ?? '';
}
