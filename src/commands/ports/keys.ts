/** The keys of one authentication method of VLESS encryption. */
export interface VlessAuthentication {
  /** As the core calls it. */
  readonly label: string;
  /** For `settings.decryption` of the inbound. Secret. */
  readonly decryption: string;
  /** For the outbound of a client. */
  readonly encryption: string;
}

/** Generates keys; none is stored. The methods that run the executable reject with `CoreError` 'missing' or 'refused'. */
export interface CoreKeys {
  /** A new X25519 pair, base64url without padding, as REALITY expects it. */
  x25519(): { readonly privateKey: string; readonly publicKey: string };
  /** For REALITY, base64url: `mldsa65Seed` of the server (secret) and `mldsa65Verify` of its clients. */
  mldsa65(): Promise<{ readonly seed: string; readonly verify: string }>;
  /** Base64url: the secret of the server, and what its clients know of it. */
  mlkem768(): Promise<{ readonly seed: string; readonly client: string }>;
  /** One entry for each way that the core knows; at least one. */
  vlessEncryption(): Promise<readonly VlessAuthentication[]>;
  /** A certificate of a host name that no authority signed, valid for ten years: lines of PEM, the key is secret. */
  selfSigned(serverName: string): Promise<{ readonly certificate: readonly string[]; readonly key: readonly string[] }>;
  /** `serverName` is the name that an observer sees, a host name. Base64: `echServerKeys` (secret) and `echConfigList`. */
  ech(serverName: string): Promise<{ readonly serverKeys: string; readonly configList: string }>;
}
