import type { Posts } from './contract.generated';

type Options = Readonly<Record<string, unknown>>;
type Registration = Posts['/panel/setting/passkeys/add']['body']['response'];
type Assertion = Posts['/passkey/login']['body']['response'];

/** Whether the browser can use passkeys here: it needs HTTPS and a host name. */
export function hasPasskeys(): boolean {
  return (
    window.isSecureContext &&
    typeof PublicKeyCredential !== 'undefined' &&
    'parseCreationOptionsFromJSON' in PublicKeyCredential &&
    !/^[\d.]+$|^\[/.test(location.hostname)
  );
}

/** Asks the browser to create a passkey. Rejects when the person cancels. */
export async function createPasskey(options: Options): Promise<Registration> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as never);
  return jsonOf<Registration>(await navigator.credentials.create({ publicKey }));
}

/** Asks the browser for a passkey of this panel. Rejects when the person cancels. */
export async function askForPasskey(options: Options): Promise<Assertion> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as never);
  return jsonOf<Assertion>(await navigator.credentials.get({ publicKey }));
}

function jsonOf<T>(credential: Credential | null): T {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser returned no passkey');
  return credential.toJSON() as T;
}
