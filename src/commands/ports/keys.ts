/** Of one way to prove who the server is, inside the encryption of VLESS. */
export interface VlessAuthentication {
  /** As the core calls it. */
  readonly label: string;
  /** For `settings.decryption` of the inbound. Secret. */
  readonly decryption: string;
  /** For the outbound of a client. */
  readonly encryption: string;
}

/** Fresh keys that only the core can make. Nothing is kept. All reject with `CoreError` 'missing' or 'refused'. */
export interface CoreKeys {
  /** For REALITY, base64url: `mldsa65Seed` of the server (secret) and `mldsa65Verify` of its clients. */
  mldsa65(): Promise<{ readonly seed: string; readonly verify: string }>;
  /** Base64url: the secret of the server, and what its clients know of it. */
  mlkem768(): Promise<{ readonly seed: string; readonly client: string }>;
  /** One entry for each way that the core knows; at least one. */
  vlessEncryption(): Promise<readonly VlessAuthentication[]>;
  /** `serverName` is the name that an observer sees, a host name. Base64: `echServerKeys` (secret) and `echConfigList`. */
  ech(serverName: string): Promise<{ readonly serverKeys: string; readonly configList: string }>;
}
