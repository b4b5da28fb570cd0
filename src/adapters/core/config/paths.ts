import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { CoreError } from '../../../commands/ports/core.js';
import { isObject, textOf } from '../../../lib/json.js';
import { message, type Text } from '../../../messages/message.js';
import { fold } from './names.js';
import { refused as templateError } from './template.js';

interface PathRules {
  readonly dataDir: string;
  /** The inbound that is checked, or null for the template. */
  readonly inbound: string | null;
}

/** Members that make the core read a file, by their folded names. */
const files = new Set(['certificatefile', 'keyfile', 'dir']);
/** Members that may name a unix socket, which is a file too: where it listens, and where it sends what it does not know. */
const sockets = new Set(['listen', 'dest', 'target']);
/** Files and folders in the data directory that only the panel uses. */
const own = new Set(['keys', 'run', 'certs', 'backups', 'logs', 'core', 'panel', 'head.json']);
/** The only folder whose files the core may serve. */
const SITE = 'www';
/** Of a certificate or key, in bytes. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Members that make the core write a file or send traffic data elsewhere. */
const forbidden = new Set(['masterkeylog', 'webhook']);

/**
 * Throws `CoreError` 'invalid' for a configuration that would read or write a file that the core must not use. Follows
 * symbolic links.
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
    // It is undefined which of two spellings the core uses.
    if (judged && seen.has(name)) throw refused(message('core.memberTwice', { key }), rules);
    seen.add(name);
    if (name === 'masquerade') checkSite(member, key, rules);
    if (judged && typeof member === 'string' && member !== '') checkText(name, member, key, unix, rules);
    if (forbidden.has(name) && member !== null && member !== '')
      throw refused(message('core.memberNotAllowed', { key }), rules);
    checkPaths(member, rules);
  }
  checkPair(entries, rules);
}

function checkText(name: string, text: string, key: string, unix: boolean, rules: PathRules): void {
  if (sockets.has(name)) {
    const path = name === 'listen' ? (text.split(',')[0] ?? '') : text;
    // Names that begin with @ are no files.
    const named = path.startsWith('/') || (unix && name !== 'listen' && !path.startsWith('@'));
    if (named && !isFreeSocket(rules.dataDir, path)) throw refused(message('core.socketPathInvalid', { key }), rules);
  }
  if (!files.has(name)) return;
  if (name === 'dir') {
    if (!isInside(join(rules.dataDir, SITE), text, true))
      throw refused(message('core.folderOutsideSite', { key, folder: SITE }), rules);
    return;
  }
  // Certificates of inbounds were parsed when the inbound was saved, so they may be in any folder.
  if (rules.inbound === null && !isInside(rules.dataDir, text))
    throw refused(message('core.pathOutsideDataDirectory', { key }), rules);
  if (!isAbsolute(text) || isOwn(rules.dataDir, text)) throw refused(message('core.pathOfPanel', { key }), rules);
}

/** Without a folder, the site would serve the folder in which the core runs. */
function checkSite(value: unknown, key: string, rules: PathRules): void {
  if (!isObject(value)) return;
  const texts = (name: string): readonly string[] =>
    Object.entries(value).flatMap(([other, member]) => (fold(other) === name ? [textOf(member)] : []));
  if (texts('type').some((type) => type.trim().toLowerCase() === 'file') && !texts('dir').some((dir) => dir !== ''))
    throw refused(message('core.siteFolderMissing', { key }), rules);
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
  throw refused(message('core.certificateUnusable'), rules);
}

/** Only of a plain file: reading a pipe or a device would block the panel. */
function contentOf(path: string): Buffer {
  const found = statSync(path);
  if (!found.isFile() || found.size > MAX_FILE_BYTES) throw new Error('no plain small file');
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

/** Whether a path is inside a folder, both as written and with links followed. `itself`: the folder counts too. */
function isInside(folder: string, path: string, itself = false): boolean {
  return (
    isAbsolute(path) &&
    waysInto(folder, path).every((way) => (itself || way !== '') && way.split(sep)[0] !== '..' && !isAbsolute(way))
  );
}

/** The relative paths from the folder to the path: as both are written, and with links followed. */
function waysInto(folder: string, path: string): readonly string[] {
  const whole = resolve(folder, path);
  return [relative(folder, whole), relative(real(folder), real(whole))];
}

/** The path with links followed; for a missing file, with those of its folder. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), basename(path));
  }
}

function refused(why: Text, { inbound: tag }: PathRules): CoreError {
  if (tag === null) return templateError(why);
  return new CoreError('invalid', message('core.inboundUnusable', { tag, why }), { inbound: tag });
}
