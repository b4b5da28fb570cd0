import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dataDirOf, launch, panelRoot } from './launcher.js';

/**
 * What `portolan` on a command line does: a panel gets a launcher, which can start a newer version in its place; every
 * other command is run at once, by the version that has written the data directory last.
 */
export async function start(root: string): Promise<void> {
  const args = process.argv.slice(2);
  const dataDir = dataDirOf(args, process.env);
  if (args.includes('serve')) process.exit(await launch({ root, args, dataDir }));
  await import(pathToFileURL(join(panelRoot({ root, dataDir }), 'dist', 'main.js')).href);
}
