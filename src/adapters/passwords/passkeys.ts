import type { Passkeys } from '../../commands/ports/passkeys.js';

const NAME = 'Portolan';
/** Ed25519, ES256 and RS256, in the order of preference. */
const ALGORITHMS = [-8, -7, -257];
const TIMEOUT_MS = 300_000;

/** Loaded at its first use: most logins do not need it. */
const library = () => import('@simplewebauthn/server');
const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'));

export const passkeys: Passkeys = {
  async creation({ host }, { id, username }, challenge, known) {
    const { generateRegistrationOptions } = await library();
    const options = await generateRegistrationOptions({
      ...{ rpName: NAME, rpID: host, userName: username, userID: new Uint8Array(Buffer.from(`admin-${id}`)) },
      ...{ challenge: bytes(challenge), timeout: TIMEOUT_MS, attestationType: 'none' },
      excludeCredentials: known.map((credential) => ({ id: credential })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return { ...options };
  },

  async request({ host }, challenge) {
    const { generateAuthenticationOptions } = await library();
    const options = await generateAuthenticationOptions({
      ...{ rpID: host, challenge: bytes(challenge), timeout: TIMEOUT_MS, userVerification: 'required' },
    });
    return { ...options };
  },

  challengeOf({ response }) {
    try {
      const data = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()) as { challenge?: unknown };
      return typeof data.challenge === 'string' ? data.challenge : '';
    } catch {
      return '';
    }
  },

  async registered({ host, origin }, challenge, { response, ...credential }) {
    const { verifyRegistrationResponse } = await library();
    const { transports, ...rest } = response;
    const result = await unlessInvalid(() =>
      verifyRegistrationResponse({
        response: { ...credential, response: rest, clientExtensionResults: {} },
        ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: host, requireUserVerification: true },
        supportedAlgorithmIDs: ALGORITHMS,
      }),
    );
    if (!result?.verified) return null;
    const { id, publicKey, counter } = result.registrationInfo.credential;
    return { id, publicKey: Buffer.from(publicKey).toString('base64url'), signCount: counter, transports };
  },

  async proven({ host, origin }, challenge, { response, ...credential }, { credentialId, publicKey, signCount }) {
    const { verifyAuthenticationResponse } = await library();
    const result = await unlessInvalid(() =>
      verifyAuthenticationResponse({
        response: { ...credential, response, clientExtensionResults: {} },
        ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: host, requireUserVerification: true },
        credential: { id: credentialId, publicKey: bytes(publicKey), counter: signCount },
      }),
    );
    return result?.verified ? result.authenticationInfo.newCounter : null;
  },
};

/** Null when the library rejects the response, which it does by an exception. */
async function unlessInvalid<T>(verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}
