/** Addresses of this machine and of private networks, which untrusted input must not reach. */
export const loopbackNetworks: readonly string[] = ['0.0.0.0/8', '127.0.0.0/8', '::/127'];

export const privateNetworks: readonly string[] = [
  ...loopbackNetworks,
  '10.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
  'fe80::/10',
];
