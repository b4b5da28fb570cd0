import { isAbsolute, join, relative, resolve } from 'node:path';
import { CoreError } from '../../commands/ports/core.js';
import { isObject } from '../../lib/json.js';
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
/** Members that make it write a file, or send what it sees to somebody. */
const forbidden = new Set(['masterkeylog', 'webhook']);

/** Throws `CoreError` 'invalid' where a configuration would read or write a file that is none of the core's business. */
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
    if (judged && typeof member === 'string' && member !== '') checkText(name, member, key, unix, rules);
    if (forbidden.has(name) && member !== null && member !== '') throw refused(`"${key}" is not allowed`, rules);
    checkPaths(member, rules);
  }
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
  // The panel itself has parsed the certificates of inbounds: those may lie anywhere.
  const free = rules.inbound !== null && name !== 'dir';
  if (files.has(name) && !free && !isInside(rules.dataDir, text))
    throw refused(`"${key}" must be a path inside the data directory`, rules);
}

/** In `run/` are the sockets of the core's API and of the panel: whoever is sent there runs them. */
function isFreeSocket(dataDir: string, path: string): boolean {
  return isInside(dataDir, path) && !isInside(join(dataDir, 'run'), path) && path.endsWith('.sock');
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, resolve(folder, path));
  return isAbsolute(path) && way !== '' && !way.startsWith('..') && !isAbsolute(way);
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
