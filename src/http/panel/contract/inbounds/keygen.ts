import { z } from 'zod';
import { message } from '../../../../messages/message.js';
import { get, post, routes } from '../route.js';
import { body, loose, Wrong } from '../schemas/fields.js';

/** Letters, digits and hyphens; with a number at the end it would be an IP address. */
const HOST_NAME = /^(?=.{1,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)*[a-z]([a-z\d-]{0,61}[a-z\d])?$/i;
const hostName = loose('string', (value) =>
  typeof value === 'string' && HOST_NAME.test(value.trim()) ? value.trim() : new Wrong(message('input.notHostName')),
);

const Authentication = z.object({
  /** Its index, or its name in the 3x-ui dialect. */
  id: z.union([z.int(), z.string()]),
  label: z.string(),
  encryption: z.string(),
  decryption: z.string(),
});

const Lines = z.array(z.string()).readonly();

/** New keys; nothing is stored. Each reply has the names of the specification and those of 3x-ui. */
export const keygenRoutes = routes('/panel/api/server', {
  getNewUUID: get('/getNewUUID', {
    permission: { resource: 'keys', action: 'create' },
    summary: 'Generate a UUID (version 4)',
    reply: z.union([z.string(), z.object({ uuid: z.string() })]),
  }),
  getNewX25519Cert: get('/getNewX25519Cert', {
    permission: { resource: 'keys', action: 'create' },
    summary: 'Generate an X25519 key pair for REALITY',
    reply: z.object({ privateKey: z.string(), publicKey: z.string() }),
  }),
  getNewmldsa65: get('/getNewmldsa65', {
    permission: { resource: 'keys', action: 'create' },
    summary: 'Generate an ML-DSA-65 key for REALITY: seed for the server, verify for its clients',
    reply: z.object({ privateKey: z.string(), publicKey: z.string(), seed: z.string(), verify: z.string() }),
  }),
  getNewmlkem768: get('/getNewmlkem768', {
    permission: { resource: 'keys', action: 'create' },
    summary: 'Generate an ML-KEM-768 key: seed for the server, client for its clients',
    reply: z.object({ clientKey: z.string(), serverKey: z.string(), seed: z.string(), client: z.string() }),
  }),
  getNewVlessEnc: get('/getNewVlessEnc', {
    permission: { resource: 'keys', action: 'create' },
    summary: 'Generate key pairs for VLESS encryption, one for each authentication method',
    reply: z.object({ auths: z.array(Authentication) }),
  }),
  getNewSelfSignedCert: post('/getNewSelfSignedCert', {
    permission: { resource: 'keys', action: 'create' },
    summary: 'Generate a certificate that no authority signed, for a host name; clients trust it by its SHA-256 pin',
    body: body({ sni: hostName }),
    /** PEM lines for `certificates` of TLS settings, and the pin in hex for `pinnedPeerCertSha256`. */
    reply: z.object({ certificate: Lines, key: Lines, sha256: z.string() }),
  }),
  getNewEchCert: post('/getNewEchCert', {
    permission: { resource: 'keys', action: 'create' },
    summary: 'Generate a key for Encrypted Client Hello; sni is the name that an observer sees',
    body: body({ sni: hostName }),
    reply: z.object({
      echKeySet: z.string(),
      echServerKeys: z.union([z.array(z.string()), z.string()]),
      echConfigList: z.string(),
    }),
  }),
});
