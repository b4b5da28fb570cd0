import type { Text } from '../../messages/message.js';

/** A certificate chain and the private key that belongs to it, as a server takes them. */
export interface ServerCertificate {
  /** PEM. */
  readonly cert: Buffer;
  readonly key: Buffer;
  /** SHA-256 of the leaf, in hex. */
  readonly fingerprint: string;
  /** The names of the leaf, or its subject where it has none. */
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The files of a server's certificate and key, from the settings. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The certificate that a server uses, and how it relates to the configured files. */
export interface CertificateStatus {
  /** The certificate in use; null = none. */
  readonly pair: ServerCertificate | null;
  /** Why this is not what the files hold, or why it should not be used; null = no problem. */
  readonly problem: Text | null;
}

/** What a keeper reports. */
export interface CertificateEvents {
  /** The files hold a different, valid pair, or they are valid again. */
  readonly loaded: (pair: ServerCertificate) => void;
  /** The files hold a pair that cannot be used; the one in use stays. */
  readonly refused: (why: Text) => void;
  /** Less than two weeks are left. Called at most once a day. */
  readonly expiring: (pair: ServerCertificate) => void;
}

/** Reads and follows the certificate files of one server. */
export interface CertificateKeeper {
  /** The best certificate for a server that is configured with these files. Changes nothing. */
  look(files: CertificateFiles): Promise<CertificateStatus>;
  /** Uses these files and this certificate from now on. Null = no TLS. */
  use(files: CertificateFiles | null, status: CertificateStatus): void;
  /** Begins to follow the files. */
  start(): void;
  stop(): void;
}
