import { existsSync, readdirSync } from 'node:fs';
import { dataDirectory } from '../../src/adapters/data-directory/data-directory.js';

/** The states that a switch has put aside, newest first, by their folders. */
export function replacedStates(root: string): readonly string[] {
  const { backups } = dataDirectory(root);
  if (!existsSync(backups)) return [];
  const names = readdirSync(backups).filter((name) => /^(replaced|refused)-/.test(name));
  return names.sort().reverse();
}
