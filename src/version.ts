import { readFileSync } from 'node:fs';
import { installedFile } from './installation/installation.js';

/** The version in package.json. */
export const version: string = (JSON.parse(readFileSync(installedFile('package.json'), 'utf8')) as { version: string })
  .version;
