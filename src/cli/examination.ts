import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createXrayCore } from '../adapters/core/xray.js';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import { readPlain } from '../adapters/data-directory/files.js';
import { holdsPort } from '../adapters/host/port-holder.js';
import { portProblem } from '../adapters/host/port-problem.js';
import { certificateProblem } from '../adapters/tls/certificates.js';
import { coreBinary } from '../app/core-binary.js';
import type { Config } from '../config.js';
import type { Settings } from '../events/settings/settings.js';
import type { Finding } from './finding.js';
import { examineRights } from './rights.js';

const MB = 1_048_576;

/** Everything but the log: what the machine has to say. */
export async function examineMachine(
  config: Config,
  directory: DataDirectory,
  settings: Settings,
): Promise<readonly Finding[]> {
  const { webListen, webPort, webCertFile, webKeyFile } = settings;
  const { subListen, subPort, subCertFile, subKeyFile } = settings;
  return [
    ...modes(directory),
    disk(directory),
    ...examineRights({ pid: holderOf(directory.lock), path: config.PATH }),
    await core(config, directory),
    await port('panel port', config.HOST ?? webListen, config.PORT ?? webPort, directory),
    await port('subscription port', config.SUB_HOST ?? subListen, config.SUB_PORT ?? subPort, directory),
    ...(await certificate('panel certificate', webCertFile, webKeyFile)),
    ...(await certificate('subscription certificate', subCertFile, subKeyFile)),
  ];
}

/** What others may read or write, which nobody may. */
function modes({ root, masterKey, certs, run }: DataDirectory): readonly Finding[] {
  const folders = [root, dirname(masterKey), certs, run].filter((folder) => existsSync(folder));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(folder, entry.name)),
  );
  const open = [...folders, ...files].filter((path) => (modeOf(path) & 0o077) !== 0);
  const named = open.slice(0, 5).map((path) => `${path} has mode ${modeOf(path).toString(8)}`);
  const detail = open.length === 0 ? `${files.length} files are for nobody else` : named.join(', ');
  return [{ what: 'modes', ok: open.length === 0, detail }];
}

/** A file that is gone by now is for nobody. */
function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
}

function disk({ root, database }: DataDirectory): Finding {
  const { bavail, bsize } = statfsSync(root);
  const freeMb = Math.floor((bavail * bsize) / MB);
  const logMb = Math.ceil(statSync(database).size / MB);
  const detail = `${freeMb} MB are free, and a backup needs up to ${logMb}`;
  if (freeMb <= 100) return { what: 'disk', ok: false, detail };
  return freeMb > logMb ? { what: 'disk', ok: true, detail } : { what: 'disk', ok: false, note: true, detail };
}

async function core(config: Config, { run, logs, geo }: DataDirectory): Promise<Finding> {
  const binary = coreBinary(config);
  if (binary === null) return { what: 'core', ok: false, note: true, detail: 'there is none' };
  const places = { binary, runDir: run, logDir: logs, assetDir: geo, splice: false, log: () => undefined };
  const version = await createXrayCore(places).binary.version();
  if (version === null) return { what: 'core', ok: false, note: true, detail: `${binary} does not tell its version` };
  return { what: 'core', ok: true, detail: `${binary}, version ${version}` };
}

async function port(what: string, listen: string, number: number, { lock }: DataDirectory): Promise<Finding> {
  const at = `${listen === '' ? '*' : listen}:${number}`;
  const flaw = await portProblem(listen, number, false);
  if (flaw === null) return { what, ok: true, detail: `${at} is free` };
  const holder = holderOf(lock);
  if (flaw === 'taken' && holder !== null && holdsPort(holder, number))
    return { what, ok: true, detail: `${at} is held by the panel (pid ${holder})` };
  const why = { taken: 'is taken by another program', forbidden: 'is forbidden to this account' };
  const detail = flaw === 'no such address' ? `${listen} is not an address of this machine` : `${at} ${why[flaw]}`;
  return { what, ok: false, note: true, detail };
}

/** The panel that runs, or last ran, on this directory. */
function holderOf(lock: string): number | null {
  try {
    return Number.parseInt(readPlain(`${lock}.pid`).toString(), 10) || null;
  } catch {
    return null;
  }
}

async function certificate(what: string, certFile: string, keyFile: string): Promise<readonly Finding[]> {
  if (certFile === '' && keyFile === '') return [];
  const flaw = await certificateProblem(certFile, keyFile);
  if (flaw !== null) return [{ what, ok: false, note: true, detail: `${certFile}: ${flaw}` }];
  return [{ what, ok: true, detail: `${certFile} is good` }];
}
