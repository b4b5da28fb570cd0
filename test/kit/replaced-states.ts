import { existsSync, readdirSync } from 'node:fs';
import { dataDirectory } from '../../src/adapters/data-directory/data-directory.js';

/** The folders of the states that a switch replaced, newest first. */
export function replacedStates(root: string): readonly string[] {
  const { backups } = dataDirectory(root);
  if (!existsSync(backups)) return [];
  const names = readdirSync(backups).filter((name) => /^(replaced|refused)-/.test(name));
  return names.sort().reverse();
}
