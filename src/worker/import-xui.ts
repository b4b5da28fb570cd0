import { randomBytes, randomUUID } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import { isBcrypt, scryptPasswords } from '../adapters/passwords/passwords.js';
import { certificateProblem, pairProblem } from '../adapters/tls/certificates.js';
import { checkName, parseUrl } from '../adapters/web/target.js';
import { readXui } from '../adapters/xui/read-file.js';
import { createBus } from '../commands/bus.js';
import { inboundItem } from '../commands/import/inbounds.js';
import { readJson, Unreadable } from '../commands/import/json.js';
import { type ImportReport, type ImportRequest, planImport } from '../commands/import/plan.js';
import { mostSevere, shown } from '../commands/import/report.js';
import type { HostProblem } from '../commands/import/settings.js';
import type { PreparedPassword } from '../commands/import/users.js';
import { RefusedFile } from '../commands/ports/refused-file.js';
import { WebError } from '../commands/ports/web.js';
import type { XuiPanel } from '../commands/ports/xui-panel.js';
import { Rejection } from '../commands/rejection.js';
import { panelState } from '../commands/state.js';
import type { ImportFinding } from '../events/import.js';
import type { Actor } from '../events/log/event.js';
import { begin } from '../events/log/replay.js';
import type { Settings } from '../events/settings/settings.js';
import { ourName } from '../http/panel/codec/setting-names.js';
import {
  certificateFileOf,
  certificatePairs,
  certificatesOf,
  hasLines,
  needsNoFile,
} from '../lib/certificate-pairs.js';
import type { JsonObject } from '../lib/json.js';
import { message, type Text } from '../messages/message.js';
import { openJournal } from '../store/journal.js';
import { type CorePlace, prepareTemplate } from './xui-template.js';

export type { ImportReport } from '../commands/import/plan.js';

interface ImportOptions {
  /** The log names this actor. */
  readonly requestedBy: Actor;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The settings of the panel that runs here and keeps its addresses; null or absent when none runs. */
  readonly host?: Settings | null;
  /** The core that checks the template; null or absent = it is not checked. */
  readonly core?: CorePlace | null;
}

/** The report of an import must fit into a message of the control socket. A dry run reports all findings. */
const MAX_FINDINGS = 1000;
/** Hashing is slow, and a panel has few accounts. */
const MAX_PLAIN_PASSWORDS = 20;

/**
 * Imports a database of 3x-ui into an empty data directory that no other process has open, as one command: all or
 * nothing. Rejects with `RefusedFile`; then the directory holds no event.
 */
export async function importXui(file: string, directory: DataDirectory, options: ImportOptions): Promise<ImportReport> {
  const request = await prepare(file, directory.run, options);
  const { now } = options;
  const { log, anchor } = openJournal(directory, { now: () => now });
  try {
    const dispatch = createBus({
      log,
      state: begin(panelState),
      now: () => now,
      ownPorts: () => [],
      closed: () => null,
    });
    const { report } = planImport(request, now);
    if (log.head().position > 0) throw new RefusedFile(message('import.logNotEmpty'));
    const actor: Actor = { kind: 'system', id: 'import', name: 'import', ip: null };
    const done = dispatch({ type: 'ImportPanel', data: request }, { actor, correlationId: randomUUID() });
    if (done instanceof Rejection) throw new RefusedFile(done.text);
    await anchor.flush();
    log.checkpoint();
    return { ...report, findings: mostSevere(report.findings, MAX_FINDINGS) };
  } finally {
    log.close();
  }
}

/** The report of an import, without importing anything; `scratch` is a private folder. Rejects with `RefusedFile`. */
export async function examineXui(file: string, scratch: string, options: ImportOptions): Promise<ImportReport> {
  return planImport(await prepare(file, scratch, options), options.now).report;
}

/** Reads the file, and adds the findings that depend on this machine and its core. */
async function prepare(file: string, scratch: string, options: ImportOptions): Promise<ImportRequest> {
  const { panel: read, sha256, bytes } = await readXui(file, scratch);
  const { template, outboundTestUrl, findings } = await prepareTemplate(read.settings, options.core ?? null, scratch);
  const settings = read.settings.map((setting) => ({ ...setting, key: ourName(setting.key) }));
  const panel = { ...read, settings };
  const { kind, name } = options.requestedBy;
  return {
    panel,
    file: { sha256, bytes },
    requestedBy: { kind, name },
    passwords: await preparePasswords(read.users),
    template,
    outboundTestUrl,
    hostProblems: options.host ? [] : await hostProblems(settings),
    findings: [
      ...findings,
      ...(await templateCertificates(template)),
      ...privateAddresses(read),
      ...(await certificates(read)),
    ],
  };
}

/** A bcrypt hash is kept until the next login. An unencrypted password is hashed now. */
async function preparePasswords(users: XuiPanel['users']): Promise<readonly PreparedPassword[]> {
  const clear = users.filter(({ password }) => password !== '' && !password.startsWith('$2'));
  if (clear.length > MAX_PLAIN_PASSWORDS)
    throw new RefusedFile(message('import.tooManyClearPasswords', { most: MAX_PLAIN_PASSWORDS }));
  const passwords = scryptPasswords();
  return Promise.all(
    users.map(async ({ id: user, password }): Promise<PreparedPassword> => {
      if (isBcrypt(password)) return { user, hash: password, was: 'hash' };
      const useless = password === '' || password.startsWith('$2');
      const text = useless ? randomBytes(32).toString('base64url') : password;
      return { user, hash: await passwords.hash(text), was: useless ? 'useless' : 'clear' };
    }),
  );
}

/** The settings of the certificates of both servers. */
const CERTIFICATES = [
  ['webCertFile', 'webKeyFile'],
  ['subCertFile', 'subKeyFile'],
] as const;

/** Settings that do not work on this machine: the panel could not be reached. */
async function hostProblems(settings: XuiPanel['settings']): Promise<readonly HostProblem[]> {
  const value = (key: string): string => settings.find((setting) => setting.key === key)?.value.trim() ?? '';
  const problems: HostProblem[] = [];
  for (const pair of CERTIFICATES) {
    const [certificate, key] = pair.map(value);
    if (!certificate && !key) continue;
    const problem = await certificateProblem(certificate ?? '', key ?? '');
    if (problem !== null)
      problems.push(...pair.map((name) => ({ key: name, reason: message('import.notUsableHere', { why: problem }) })));
  }
  const own = new Set(Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []));
  for (const key of ['webListen', 'subListen'] as const) {
    const address = value(key);
    if (!['', '0.0.0.0', '::'].includes(address) && !own.has(address))
      problems.push({ key, reason: message('import.addressNotHere') });
  }
  return problems;
}

/** Inbounds whose certificates are missing or cannot be used. */
async function certificates({ inbounds }: XuiPanel): Promise<readonly ImportFinding[]> {
  const findings: ImportFinding[] = [];
  const checks = new Map<string, Promise<Text | null>>();
  for (const row of inbounds) {
    const stream = readJson(row.streamSettings);
    if (!row.enable || stream instanceof Unreadable) continue;
    for (const pair of certificatesOf(stream)) {
      // The files of a node are on the node.
      if (row.nodeId !== 0 && !needsNoFile(pair)) continue;
      const name = JSON.stringify(pair);
      const check = checks.get(name) ?? pairProblem(pair);
      checks.set(name, check);
      const why = await check;
      if (why === null) continue;
      const file = certificateFileOf(pair);
      const reason =
        file === null
          ? message('import.certificateUnusable', { why })
          : message('import.certificateFileUnusable', { file: shown(file), why });
      findings.push({ table: 'inbounds', item: inboundItem(row), outcome: 'noted', reason });
    }
  }
  return findings;
}

/** Certificates that the template contains as lines. Files were checked with its paths. */
async function templateCertificates(template: JsonObject | null): Promise<readonly ImportFinding[]> {
  const problems = await Promise.all(certificatePairs(template).filter(hasLines).map(pairProblem));
  return problems
    .filter((why) => why !== null)
    .map((why) => ({
      table: 'settings',
      item: message('import.template'),
      outcome: 'noted',
      reason: message('import.templateCertificate', { why }),
    }));
}

/** Addresses that 3x-ui requested and this panel blocks. They are checked without a DNS lookup. */
function privateAddresses({ nodes, geo, settings }: XuiPanel): readonly ImportFinding[] {
  const findings: ImportFinding[] = [];
  const check = (table: string, item: Text, url: string, reason: Text): void => {
    if (isPrivate(url)) findings.push({ table, item, outcome: 'noted', reason });
  };
  const blocked = message('import.privateUrl');
  for (const { name, scheme, address, port, allowPrivateAddress } of nodes) {
    const host = address.trim().replace(/^\[(.*)\]$/, '$1');
    const url = `${scheme === 'http' ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}/`;
    const item = message('import.node', { name: shown(name) });
    if (!allowPrivateAddress) check('nodes', item, url, message('import.privateNode'));
  }
  for (const { alias, url } of geo)
    check('custom_geo_resources', message('import.geoSource', { name: shown(alias) }), url, blocked);
  const inform = settings.find(({ key }) => key === 'externalTrafficInformURI')?.value.trim() ?? '';
  check('settings', message('import.setting', { key: 'externalTrafficInformURI' }), inform, blocked);
  return findings;
}

function isPrivate(url: string): boolean {
  try {
    checkName(parseUrl(url), false);
    return false;
  } catch (error) {
    // An invalid address is reported elsewhere.
    return URL.canParse(url) && error instanceof WebError;
  }
}
