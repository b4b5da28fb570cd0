import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createXrayCore } from '../../adapters/core/xray.js';
import type { DataDirectory } from '../../adapters/data-directory/data-directory.js';
import { readRegular } from '../../adapters/data-directory/files.js';
import { holdsPort } from '../../adapters/host/port-holder.js';
import { portProblem } from '../../adapters/host/port-problem.js';
import { certificateProblem } from '../../adapters/tls/certificates.js';
import { coreBinary } from '../../app/core-binary.js';
import type { Config } from '../../config.js';
import type { Settings } from '../../events/settings/settings.js';
import { message, type Text } from '../../messages/message.js';
import { examineProcesses } from './examine-processes.js';
import { bad, type Finding, good, note } from './finding.js';
import { examineRights } from './rights.js';

const MB = 1_048_576;

/** The checks of the machine: files, disk, account, core, ports and certificates. */
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
    await port(message('cli.checkPanelPort'), config.HOST ?? webListen, config.PORT ?? webPort, directory),
    await port(
      message('cli.checkSubscriptionPort'),
      config.SUB_HOST ?? subListen,
      config.SUB_PORT ?? subPort,
      directory,
    ),
    ...examineProcesses(directory),
    ...(await certificate(message('cli.checkPanelCertificate'), webCertFile, webKeyFile)),
    ...(await certificate(message('cli.checkSubscriptionCertificate'), subCertFile, subKeyFile)),
  ];
}

/** Files and folders that other accounts can access. */
function modes({ root, masterKey, certs, run }: DataDirectory): readonly Finding[] {
  const folders = [root, dirname(masterKey), certs, run].filter((folder) => existsSync(folder));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(folder, entry.name)),
  );
  const open = [...folders, ...files].filter((path) => (modeOf(path) & 0o077) !== 0);
  const what = message('cli.checkModes');
  if (open.length === 0) return [good(what, message('cli.modesPrivate', { files: files.length }))];
  const paths = open.slice(0, 5).map((path) => message('cli.pathMode', { path, mode: modeOf(path).toString(8) }));
  return [bad(what, message('cli.modesOpen', { paths }))];
}

/** 0 for a file that was removed meanwhile. */
function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
}

function disk({ root, database }: DataDirectory): Finding {
  const { bavail, bsize } = statfsSync(root);
  const freeMb = Math.floor((bavail * bsize) / MB);
  const logMb = Math.ceil(statSync(database).size / MB);
  const what = message('cli.checkDisk');
  const detail = message('cli.diskSpace', { free: freeMb, needed: logMb });
  if (freeMb <= 100) return bad(what, detail);
  return freeMb > logMb ? good(what, detail) : note(what, detail);
}

async function core(config: Config, { run, logs, geo }: DataDirectory): Promise<Finding> {
  const what = message('cli.checkCore');
  const binary = coreBinary(config);
  if (binary === null) return note(what, message('cli.coreMissing'));
  const places = { binary, runDir: run, logDir: logs, assetDir: geo, splice: false, log: () => undefined };
  const version = await createXrayCore(places).binary.version();
  if (version === null) return note(what, message('cli.coreSilent', { binary }));
  return good(what, message('cli.coreFound', { binary, version }));
}

async function port(what: Text, listen: string, number: number, { lock }: DataDirectory): Promise<Finding> {
  const at = `${listen === '' ? '*' : listen}:${number}`;
  const problem = await portProblem(listen, number, false);
  if (problem === null) return good(what, message('cli.portFree', { at }));
  const pid = holderOf(lock);
  if (problem === 'taken' && pid !== null && holdsPort(pid, number))
    return good(what, message('cli.portHeld', { at, pid }));
  if (problem === 'taken') return note(what, message('cli.portTaken', { at }));
  if (problem === 'forbidden') return note(what, message('cli.portForbidden', { at }));
  return note(what, message('cli.portNoAddress', { listen }));
}

/** The panel that runs, or last ran, on this directory. */
function holderOf(lock: string): number | null {
  try {
    return Number.parseInt(readRegular(`${lock}.pid`).toString(), 10) || null;
  } catch {
    return null;
  }
}

async function certificate(what: Text, certFile: string, keyFile: string): Promise<readonly Finding[]> {
  if (certFile === '' && keyFile === '') return [];
  const why = await certificateProblem(certFile, keyFile);
  if (why !== null) return [note(what, message('cli.certificateBad', { file: certFile, why }))];
  return [good(what, message('cli.certificateGood', { file: certFile }))];
}
