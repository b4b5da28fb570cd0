/** The proof that a code was valid, without the code itself. */
export interface TwoFactorProof {
  /** The token that the code is of, base32. */
  readonly token: string;
  /** The time step of the code: 30-second steps since 1970. */
  readonly step: number;
}

/** What an admin needs to set up an app: nothing of it is stored until a code of the token confirms it. */
interface TwoFactorProposal {
  /** Base32, 160 bits. */
  readonly token: string;
  /** For the app, by a link. */
  readonly otpauthUrl: string;
  /** The same as a picture: an SVG document. */
  readonly qr: string;
}

/** Codes by RFC 6238: SHA-1, 6 digits, 30 s. */
export interface TwoFactor {
  /**
   * Checks a code of this moment (`now` in ms), of the step before it or of the one after it, in the same time whichever
   * it is. Null when it is none of them, or when the token is no base32.
   */
  prove(token: string, code: string, now: number): TwoFactorProof | null;
  /** A new token for an account of this name. */
  propose(account: string): TwoFactorProposal;
}
