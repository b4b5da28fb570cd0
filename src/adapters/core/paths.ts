import { isAbsolute, relative, resolve } from 'node:path';
import { CoreError } from '../../commands/ports/core.js';
import { isObject } from '../../lib/json.js';
import { fold } from './names.js';

export interface PathRules {
  readonly dataDir: string;
  /** The inbound that is checked, or null for the template. */
  readonly inbound: string | null;
}

/** Members that make the core read a file, by their folded names. */
const reads = new Set(['certificatefile', 'keyfile', 'dir']);
/** Members that make it write a file, or send what it sees to somebody. */
const forbidden = new Set(['masterkeylog', 'webhook']);

/** Throws `CoreError` 'invalid' where a configuration would read or write a file that is none of the core's business. */
export function checkPaths(value: unknown, rules: PathRules): void {
  if (Array.isArray(value)) {
    for (const item of value) checkPaths(item, rules);
    return;
  }
  if (!isObject(value)) return;
  for (const [key, member] of Object.entries(value)) {
    const name = fold(key);
    // A unix socket is a file that the core makes; names that begin with @ are none.
    if (
      name === 'listen' &&
      typeof member === 'string' &&
      member.startsWith('/') &&
      !isInside(rules.dataDir, member.split(',')[0] ?? '')
    ) {
      throw refused('a unix socket must lie inside the data directory', rules);
    }
    if (forbidden.has(name) && member !== null && member !== '') throw refused(`"${key}" is not allowed`, rules);
    // The panel itself has parsed the certificates of inbounds: those may lie anywhere.
    const free = rules.inbound !== null && name !== 'dir';
    if (reads.has(name) && !free && typeof member === 'string' && member !== '' && !isInside(rules.dataDir, member)) {
      throw refused(`"${key}" must be a path inside the data directory`, rules);
    }
    checkPaths(member, rules);
  }
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
