import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { CoreError } from '../../../commands/ports/core.js';
import { isObject, textOf } from '../../../lib/json.js';
import { fold } from './names.js';

export interface PathRules {
  readonly dataDir: string;
  /** The inbound that is checked, or null for the template. */
  readonly inbound: string | null;
}

/** Members that make the core read a file, by their folded names. */
const files = new Set(['certificatefile', 'keyfile', 'dir']);
/** Members that may name a unix socket, which is a file too: where it listens, and where it sends what it does not know. */
const sockets = new Set(['listen', 'dest', 'target']);
/** What in the data directory is the panel's alone. */
const own = new Set(['keys', 'run', 'certs', 'backups', 'logs', 'core', 'panel', 'head.json']);
/** The one folder that the core may show to strangers. */
const SITE = 'www';
/** Of a certificate or key, in bytes. */
const LARGEST = 1024 * 1024;
/** Members that make the core write a file or send traffic data elsewhere. */
const forbidden = new Set(['masterkeylog', 'webhook']);

/**
 * Throws `CoreError` 'invalid' where a configuration would read or write a file that is none of the core's business.
 * Follows links: what counts is where a path ends.
 */
export function checkPaths(value: unknown, rules: PathRules): void {
  if (Array.isArray(value)) {
    for (const item of value) checkPaths(item, rules);
    return;
  }
  if (!isObject(value)) return;
  const entries = Object.entries(value).map(([key, member]) => [fold(key), member, key] as const);
  const seen = new Set<string>();
  const unix = entries.some(([name, member]) => name === 'type' && String(member).startsWith('unix'));
  for (const [name, member, key] of entries) {
    const judged = files.has(name) || sockets.has(name) || forbidden.has(name);
    // Which of two spellings counts is the core's secret.
    if (judged && seen.has(name)) throw refused(`it has "${key}" twice`, rules);
    seen.add(name);
    if (name === 'masquerade') checkSite(member, key, rules);
    if (judged && typeof member === 'string' && member !== '') checkText(name, member, key, unix, rules);
    if (forbidden.has(name) && member !== null && member !== '') throw refused(`"${key}" is not allowed`, rules);
    checkPaths(member, rules);
  }
  checkPair(entries, rules);
}

function checkText(name: string, text: string, key: string, unix: boolean, rules: PathRules): void {
  if (sockets.has(name)) {
    const path = name === 'listen' ? (text.split(',')[0] ?? '') : text;
    // Names that begin with @ are no files.
    const named = path.startsWith('/') || (unix && name !== 'listen' && !path.startsWith('@'));
    if (named && !isFreeSocket(rules.dataDir, path))
      throw refused(
        `"${key}" must be the path of a *.sock inside the data directory and outside of its run folder`,
        rules,
      );
  }
  if (!files.has(name)) return;
  if (name === 'dir') {
    if (!isInside(join(rules.dataDir, SITE), text, true))
      throw refused(`"${key}" must be the folder ${SITE} of the data directory, or one inside of it`, rules);
    return;
  }
  // The panel has parsed the certificates of inbounds when they were given: those may lie anywhere else.
  if (rules.inbound === null && !isInside(rules.dataDir, text))
    throw refused(`"${key}" must be a path inside the data directory`, rules);
  if (!isAbsolute(text) || isOwn(rules.dataDir, text))
    throw refused(`"${key}" must be an absolute path, and not that of a file of the panel itself`, rules);
}

/** Without a folder of its own a site of files would be that in which the core runs. */
function checkSite(value: unknown, key: string, rules: PathRules): void {
  if (!isObject(value)) return;
  const texts = (name: string): readonly string[] =>
    Object.entries(value).flatMap(([other, member]) => (fold(other) === name ? [textOf(member)] : []));
  if (texts('type').some((type) => type.trim().toLowerCase() === 'file') && !texts('dir').some((dir) => dir !== ''))
    throw refused(`"${key}" must name the folder of its files`, rules);
}

/** A new certificate must be a valid one, and a key must match its certificate. */
function checkPair(entries: readonly (readonly [string, unknown, string])[], rules: PathRules): void {
  const [certificate = '', key = ''] = ['certificatefile', 'keyfile'].map((name) =>
    textOf(entries.find(([other]) => other === name)?.[1]),
  );
  if (rules.inbound !== null || (certificate === '' && key === '')) return;
  try {
    const parsed = certificate === '' ? null : new X509Certificate(contentOf(certificate));
    const secret = key === '' ? null : createPrivateKey(contentOf(key));
    if (secret === null || parsed?.checkPrivateKey(secret) !== false) return;
  } catch {
    // The content of the file must not appear in the error.
  }
  throw refused('a certificate or its key cannot be read, or they do not belong together', rules);
}

/** Never of a pipe or a device, which would hold the panel. */
function contentOf(path: string): Buffer {
  const found = statSync(path);
  if (!found.isFile() || found.size > LARGEST) throw new Error('no plain small file');
  return readFileSync(path);
}

/** `run/` contains the sockets of the core's API and of the panel: access to them is full control. */
function isFreeSocket(dataDir: string, path: string): boolean {
  return isInside(dataDir, path) && !isOwn(dataDir, path) && path.endsWith('.sock');
}

function isOwn(dataDir: string, path: string): boolean {
  return waysInto(dataDir, path).some((way) => {
    const [first = ''] = way.split(sep);
    return own.has(first) || first.startsWith('events.db');
  });
}

/** Whether a path lies in a folder as it is written and as it is; `itself`: or is it. */
function isInside(folder: string, path: string, itself = false): boolean {
  return (
    isAbsolute(path) &&
    waysInto(folder, path).every((way) => (itself || way !== '') && way.split(sep)[0] !== '..' && !isAbsolute(way))
  );
}

/** From the folder to the path: as both are written, and with their links followed. */
function waysInto(folder: string, path: string): readonly string[] {
  const whole = resolve(folder, path);
  return [relative(folder, whole), relative(real(folder), real(whole))];
}

/** What is not there yet, where it would be. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), basename(path));
  }
}

function refused(reason: string, { inbound }: PathRules): CoreError {
  return new CoreError(
    'invalid',
    `${inbound === null ? 'The template' : `Inbound ${inbound}`} cannot be used: ${reason}`,
    {
      inbound,
    },
  );
}
