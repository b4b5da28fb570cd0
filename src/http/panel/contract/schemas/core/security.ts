import {
  anything,
  choice,
  FINGERPRINTS,
  flag,
  listOf,
  options,
  part,
  text,
  texts,
  usual,
  whole,
  xver,
} from './option.js';

const fingerprint = usual(FINGERPRINTS, {
  default: 'chrome',
  description: 'The browser whose handshake a client imitates.',
});
const serverName = text({ description: 'The name in the handshake (SNI).' });
const alpn = texts({ usual: ['h3', 'h2', 'http/1.1'] });
const VERSIONS = ['1.2', '1.3'] as const;
const pins = 'SHA-256 of a certificate in hex. A client accepts no other.';

const TlsCertificate = options('TlsCertificate', {
  certificateFile: text({ description: 'Path of a PEM file on the machine of the core.' }),
  keyFile: text({ description: 'Path of a PEM file on the machine of the core.' }),
  certificate: listOf(text(), 'The lines of the PEM text, instead of a file.'),
  key: listOf(text(), 'The lines of the PEM text, instead of a file.'),
  usage: choice(['encipherment', 'verify', 'issue'], {
    default: 'encipherment',
    description: '`verify` trusts a certification authority; `issue` makes certificates with it.',
  }),
  ocspStapling: whole({ default: 0, description: 'Seconds between updates of the OCSP response; 0 = none.' }),
  oneTimeLoading: flag({ default: false, description: 'Does not read changed files again.' }),
  buildChain: flag({ default: false, description: 'Adds the authority to certificates, for the usage `issue`.' }),
});

/** What both sides have. */
const tls = {
  serverName,
  alpn,
  minVersion: usual(VERSIONS, { default: '1.2' }),
  maxVersion: usual(VERSIONS, { default: '1.3' }),
  cipherSuites: text({ description: 'Names of Go, separated by colons. They have no effect on TLS 1.3.' }),
  curvePreferences: texts({ usual: ['X25519MLKEM768', 'X25519', 'CurveP256', 'CurveP384', 'CurveP521'] }),
  enableSessionResumption: flag({ default: false }),
  masterKeyLog: text({ description: 'File for the keys of all sessions, with which traffic can be decrypted.' }),
  certificates: listOf(TlsCertificate),
  disableSystemRoot: flag({ default: false, description: 'Trusts only the certificates of this list.' }),
};

export const TlsServer = options('TlsServer', {
  ...tls,
  rejectUnknownSni: flag({ default: false, description: 'Refuses handshakes with a name that no certificate has.' }),
  echServerKeys: text({ description: 'Keys of Encrypted Client Hello in base64.' }),
  settings: part(
    {
      fingerprint: usual(FINGERPRINTS, { description: 'The browser that clients imitate. Absent = as the app does.' }),
      pinnedPeerCertSha256: texts({ description: pins }),
      verifyPeerCertByName: texts({ description: 'Names of which the certificate must have one.' }),
      echConfigList: text({ description: 'Encrypted Client Hello for clients, in base64.' }),
    },
    { description: 'For links and subscriptions: what clients need. The core does not read it.' },
  ),
});

export const TlsClient = options('TlsClient', {
  ...tls,
  fingerprint,
  pinnedPeerCertSha256: text({ description: `${pins} Several are separated by commas.` }),
  verifyPeerCertByName: text({ description: 'Names of which the certificate must have one, separated by commas.' }),
  echConfigList: text({ description: 'Encrypted Client Hello in base64, or the DNS server that has it.' }),
  echSockopt: anything('Socket options of the requests for `echConfigList`.'),
});

const limit = (direction: string) =>
  part(
    {
      afterBytes: whole({ default: 0, description: 'Bytes before the limit begins.' }),
      bytesPerSec: whole({ default: 0, description: 'Bytes per second; 0 = no limit.' }),
      burstBytesPerSec: whole({ default: 0 }),
    },
    { description: `Limits the ${direction} of connections that are forwarded to the target.` },
  );
const show = flag({ default: false, description: 'Writes details of each handshake to the log.' });

export const RealityServer = options(
  'RealityServer',
  {
    target: text({ description: 'The TLS 1.3 site that is imitated, as `host:port`. Its former name is `dest`.' }),
    serverNames: texts({ description: 'Names that clients may send. The certificate of the target must have them.' }),
    privateKey: text({ description: 'X25519 in base64url. Clients have its public key.' }),
    shortIds: texts({ description: 'Up to 16 hex digits each; an empty one admits clients without one.' }),
    xver,
    mldsa65Seed: text({ description: 'Signs the certificate with ML-DSA-65; in base64url.' }),
    minClientVer: text({ description: 'Lowest version of the core of clients, such as `26.3.27`.' }),
    maxClientVer: text({ description: 'Highest version of the core of clients.' }),
    maxTimeDiff: whole({ default: 0, description: 'Milliseconds by which clocks may differ; 0 = any.' }),
    limitFallbackUpload: limit('upload'),
    limitFallbackDownload: limit('download'),
    type: usual(['tcp', 'unix'], { description: 'The network of the target; chosen by its form if it is absent.' }),
    show,
    masterKeyLog: tls.masterKeyLog,
    settings: part(
      {
        publicKey: text({ description: 'Of `privateKey`.' }),
        fingerprint,
        spiderX: text({ default: '/', description: 'First path of the crawler of clients.' }),
        mldsa65Verify: text({ description: 'Of `mldsa65Seed`.' }),
      },
      { description: 'For links and subscriptions: what clients need. The core does not read it.' },
    ),
  },
  { needed: ['target', 'serverNames', 'privateKey'] },
);

export const RealityClient = options('RealityClient', {
  serverName,
  fingerprint,
  password: text({ description: 'The public key of the server in base64url. Its former name is `publicKey`.' }),
  shortId: text({ description: 'Up to 16 hex digits.' }),
  spiderX: text({ default: '/' }),
  mldsa65Verify: text({ description: 'Verifies the signature of the server, if it has one.' }),
  show,
  masterKeyLog: tls.masterKeyLog,
});
