import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const b64 = (data: Buffer | string): string => Buffer.from(data).toString('base64url');

/** A CBOR head (RFC 8949): the major type and its argument. */
function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument]);
  if (argument < 256) return Buffer.from([(major << 5) | 24, argument]);
  return Buffer.from([(major << 5) | 25, argument >> 8, argument & 255]);
}
const cbor = {
  int: (value: number): Buffer => (value >= 0 ? head(0, value) : head(1, -1 - value)),
  bytes: (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value]),
  text: (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)]),
  map: (...pairs: readonly (readonly [Buffer, Buffer])[]): Buffer =>
    Buffer.concat([head(5, pairs.length), ...pairs.flat()]),
};

const PRESENT_AND_VERIFIED = 0x05;
const WITH_CREDENTIAL = 0x40;

/** An authenticator in software, with one ES256 credential and no attestation (WebAuthn level 2, 6.1 and 6.5). */
export class SoftAuthenticator {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #id = randomBytes(16);
  readonly #origin: string;
  readonly #host: string;
  /** The counter of signatures. */
  count = 0;

  constructor(origin: string, host: string) {
    this.#origin = origin;
    this.#host = host;
  }

  get id(): string {
    return b64(this.#id);
  }

  create(challenge: string, origin = this.#origin) {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const key = cbor.map(
      [cbor.int(1), cbor.int(2)],
      [cbor.int(3), cbor.int(-7)],
      [cbor.int(-1), cbor.int(1)],
      [cbor.int(-2), cbor.bytes(Buffer.from(x, 'base64url'))],
      [cbor.int(-3), cbor.bytes(Buffer.from(y, 'base64url'))],
    );
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.#id.length]), this.#id, key]);
    const authData = Buffer.concat([this.#data(PRESENT_AND_VERIFIED | WITH_CREDENTIAL), credential]);
    const attestationObject = cbor.map(
      [cbor.text('fmt'), cbor.text('none')],
      [cbor.text('attStmt'), cbor.map()],
      [cbor.text('authData'), cbor.bytes(authData)],
    );
    const clientDataJSON = this.#client('webauthn.create', challenge, origin);
    return this.#credential({
      clientDataJSON: b64(clientDataJSON),
      attestationObject: b64(attestationObject),
      transports: ['internal'],
    });
  }

  get(challenge: string, origin = this.#origin) {
    const clientDataJSON = this.#client('webauthn.get', challenge, origin);
    const authenticatorData = this.#data(PRESENT_AND_VERIFIED);
    const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
    return this.#credential({
      clientDataJSON: b64(clientDataJSON),
      authenticatorData: b64(authenticatorData),
      signature: b64(sign('sha256', signed, this.#keys.privateKey)),
    });
  }

  #credential<R>(response: R) {
    return { id: this.id, rawId: this.id, type: 'public-key', response } as const;
  }

  #client(type: string, challenge: string, origin: string): string {
    return JSON.stringify({ type, challenge, origin, crossOrigin: false });
  }

  #data(flags: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.count);
    return Buffer.concat([sha256(this.#host), Buffer.from([flags]), count]);
  }
}
