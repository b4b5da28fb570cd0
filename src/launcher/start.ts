import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { failureText } from '../lib/errors/failure-text.js';
import { printProblem } from '../lib/errors/print-problem.js';
import { dataDirOf, launch, outputOf, panelRoot } from './launcher.js';

/**
 * The entry point of `portolan`. `serve` runs the panel under a launcher, which can replace it by a newer version. Every
 * other command runs in this process, with the version that the data directory uses.
 */
export async function start(root: string): Promise<void> {
  const args = process.argv.slice(2);
  const dataDir = dataDirOf(args, process.env);
  try {
    if (args.includes('serve')) process.exit(await launch({ root, args, dataDir }));
    await import(pathToFileURL(join(panelRoot({ root, dataDir }), 'dist', 'main.js')).href);
  } catch (error) {
    printProblem('error', failureText(error), outputOf(args));
    process.exit(1);
  }
}
