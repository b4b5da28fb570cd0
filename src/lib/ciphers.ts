/** The ciphers of shadowsocks before its edition of 2022 that Xray has, under every name that it takes. */
export const CLASSIC_CIPHERS: ReadonlySet<string> = new Set([
  'aes-128-gcm',
  'aes-256-gcm',
  'chacha20-poly1305',
  'chacha20-ietf-poly1305',
  'xchacha20-poly1305',
  'xchacha20-ietf-poly1305',
]);
