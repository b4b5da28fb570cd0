import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Attribute, Change, Client } from 'ldapts';
import { makeCertificate, type TestCertificate } from '../certificate.js';
import { type Child, endOfOutput, startChild } from '../children.js';
import { accepts } from '../core-process.js';
import { freePorts } from '../ports.js';
import { HANG_MS } from '../tunnel.js';

const SLAPD = '/usr/sbin/slapd';
export const BASE_DN = 'dc=portolan,dc=test';
export const BIND_DN = `cn=admin,${BASE_DN}`;
export const BIND_PASSWORD = 'the bind password';

/** For `describe.skipIf`: true without a directory server, and then prints a notice that the suite is skipped. */
export function withoutSlapd(suite: string): boolean {
  if (existsSync(SLAPD)) return false;
  const line = '!'.repeat(78);
  // oxlint-disable-next-line no-console -- a skipped suite must be seen
  console.warn(`\n${line}\n!! SKIPPED: ${suite}\n!! ${SLAPD} is missing (Debian: slapd).\n${line}\n`);
  return true;
}

/** A person in the directory. `employeeType` is the flag that tests use. */
export interface Person {
  uid: string;
  mail: string | string[];
  userPassword?: string;
  employeeType?: string;
}

/** A real OpenLDAP server on loopback with a database of its own. */
export interface Slapd {
  port: number;
  tlsPort: number;
  /** Self-signed, for `localhost`. */
  certificate: TestCertificate;
  add(...people: Person[]): Promise<void>;
  remove(uid: string): Promise<void>;
  set(uid: string, attribute: string, value: string): Promise<void>;
  /** As `start` left it, after `stop`. */
  start(): Promise<void>;
  stop(): Promise<void>;
  cleanUp(): Promise<void>;
}

/** `sizeLimit`: the most entries that one search returns to users other than the root of the directory. */
export async function startSlapd({ sizeLimit = 500 }: { sizeLimit?: number } = {}): Promise<Slapd> {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-kit-slapd-'));
  const [port = 0, tlsPort = 0] = await freePorts(2, 'tcp');
  const certificate = await makeCertificate();
  mkdirSync(join(folder, 'db'));
  const file = join(folder, 'slapd.conf');
  writeFileSync(file, configuration(folder, certificate, sizeLimit), { mode: 0o600 });
  // A copy: where AppArmor guards the one of the system, it may read nothing but the system's own directory.
  const binary = join(folder, 'slapd');
  copyFileSync(SLAPD, binary);
  let child: Child | null = null;

  const start = async (): Promise<void> => {
    const urls = `ldap://127.0.0.1:${port} ldaps://127.0.0.1:${tlsPort}`;
    child = startChild(binary, ['-f', file, '-h', urls, '-d', '0']);
    const deadline = Date.now() + HANG_MS;
    while (!((await accepts(port)) && (await accepts(tlsPort)))) {
      if (!child.running() || Date.now() > deadline) throw new Error(`slapd did not start\n${endOfOutput(child)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const stop = async (): Promise<void> => {
    await child?.stop();
  };
  const asRoot = async (work: (client: Client) => Promise<void>): Promise<void> => {
    const client = new Client({ url: `ldap://127.0.0.1:${port}`, timeout: HANG_MS });
    await client.bind(BIND_DN, BIND_PASSWORD);
    await work(client);
    await client.unbind();
  };
  const dnOf = (uid: string) => `uid=${uid},ou=people,${BASE_DN}`;

  await start();
  await asRoot(async (client) => {
    await client.add(BASE_DN, { objectClass: ['dcObject', 'organization'], dc: 'portolan', o: 'Portolan' });
    await client.add(`ou=people,${BASE_DN}`, { objectClass: 'organizationalUnit', ou: 'people' });
  });
  return {
    port,
    tlsPort,
    certificate,
    add: (...people) =>
      asRoot(async (client) => {
        for (const person of people) {
          const { uid } = person;
          await client.add(dnOf(uid), { objectClass: 'inetOrgPerson', cn: uid, sn: uid, ...person });
        }
      }),
    remove: (uid) => asRoot((client) => client.del(dnOf(uid))),
    set: (uid, attribute, value) =>
      asRoot((client) =>
        client.modify(
          dnOf(uid),
          new Change({ operation: 'replace', modification: new Attribute({ type: attribute, values: [value] }) }),
        ),
      ),
    start,
    stop,
    cleanUp: async () => {
      await stop();
      certificate.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, { certFile, keyFile }: TestCertificate, sizeLimit: number): string {
  const schemas = ['core', 'cosine', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`);
  return [
    ...schemas,
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    `pidfile ${join(folder, 'slapd.pid')}`,
    `TLSCertificateFile ${certFile}`,
    `TLSCertificateKeyFile ${keyFile}`,
    'database mdb',
    'maxsize 16777216',
    `suffix "${BASE_DN}"`,
    `rootdn "${BIND_DN}"`,
    `rootpw "${BIND_PASSWORD}"`,
    `directory ${join(folder, 'db')}`,
    `limits * size.soft=${sizeLimit} size.hard=${sizeLimit} size.prtotal=${sizeLimit}`,
    'access to attrs=userPassword by anonymous auth by * none',
    'access to * by * read',
    '',
  ].join('\n');
}
