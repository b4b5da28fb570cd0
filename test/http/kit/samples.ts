/** What tests of the panel API send. The token is given to the panel with `IssueApiToken`. */
export const TOKEN_HEADERS = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };
export const API = '/panel/api';

/** The body of `/inbounds/add`. */
export const INBOUND = {
  ...{ enable: true, protocol: 'vless', streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{}' },
  ...{ settings: '{"clients":[],"decryption":"none"}', remark: 'home', port: 4433 },
};

/** The body of `/nodes/add`. */
export const NODE = {
  name: 'far',
  scheme: 'https',
  address: '192.0.2.7',
  port: 2053,
  basePath: '/',
  apiToken: 'a'.repeat(32),
};

/** A VLESS client as the API names it. */
export const wireOf = (email: string, id: number) => ({
  email,
  id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
});
