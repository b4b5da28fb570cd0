/** A credential as a browser sends it: the result of `PublicKeyCredential.toJSON()`. Binary members are base64url. */
interface Registration {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject: string;
    readonly transports: readonly string[];
  };
}
interface Assertion {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
  };
}

/** Where the browser is, as far as the request shows it. */
export interface Site {
  /** Host name, without port. */
  readonly host: string;
  /** For example `https://panel.example.com:2053`. */
  readonly origin: string;
}

/** The credential of a new passkey. */
export interface NewPasskey {
  readonly id: string;
  readonly publicKey: string;
  readonly transports: readonly string[];
  readonly signCount: number;
}

/** A known credential. */
interface StoredPasskey {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly signCount: number;
}

/** Options for the browser, as JSON. */
type Options = Readonly<Record<string, unknown>>;

/** Passkeys by WebAuthn level 2: discoverable credentials with user verification. */
export interface Passkeys {
  /** Options for `navigator.credentials.create`. `known`: ids of credentials that the admin has. */
  creation(
    site: Site,
    account: { readonly id: number; readonly username: string },
    challenge: string,
    known: readonly string[],
  ): Promise<Options>;
  /** Options for `navigator.credentials.get`. */
  request(site: Site, challenge: string): Promise<Options>;
  /** The challenge that a credential answers, not verified; '' = it is malformed. */
  challengeOf(credential: Registration | Assertion): string;
  /** The verified credential of a registration; null = it is not valid. */
  registered(site: Site, challenge: string, credential: Registration): Promise<NewPasskey | null>;
  /** The counter of the authenticator after a valid login; null = it is not valid. */
  proven(site: Site, challenge: string, credential: Assertion, passkey: StoredPasskey): Promise<number | null>;
}
