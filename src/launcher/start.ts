import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dataDirOf, launch, panelRoot } from './launcher.js';

/**
 * The entry point of `portolan`. `serve` runs the panel under a launcher, which can replace it by a newer version. Every
 * other command runs in this process, with the version that the data directory uses.
 */
export async function start(root: string): Promise<void> {
  const args = process.argv.slice(2);
  const dataDir = dataDirOf(args, process.env);
  if (args.includes('serve')) process.exit(await launch({ root, args, dataDir }));
  await import(pathToFileURL(join(panelRoot({ root, dataDir }), 'dist', 'main.js')).href);
}
