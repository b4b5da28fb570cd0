import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ZipEntry } from './formats/zip.js';

/**
 * A panel that only exchanges messages with its launcher; `main` is the code of its process. It appends its version to the
 * file `starts` of the data directory at each start, and answers `--version` and `doctor`.
 */
export function fakePanel(version: string, main: string): readonly ZipEntry[] {
  const answers = `
    const args = process.argv.slice(2);
    if (args.includes('--version')) { console.log('${version}'); process.exit(0); }
    if (args.includes('doctor')) process.exit(0);`;
  return [
    { name: 'package.json', data: JSON.stringify({ type: 'module', version }) },
    { name: 'bin/portolan', data: `${answers}` },
    {
      name: 'dist/main.js',
      data: `import { appendFileSync } from 'node:fs';${answers}
        process.on('SIGTERM', () => process.exit(0));
        appendFileSync(process.env.PORTOLAN_DATA_DIR + '/starts', '${version}\\n');
        const ready = () => process.send({ type: 'ready' });
        const hang = () => setInterval(() => undefined, 1000);
        ${main}`,
    },
  ];
}

/** Puts a fake panel into a folder, as if it had been installed. */
export function putPanel(folder: string, version: string, main: string): void {
  for (const { name, data } of fakePanel(version, main)) {
    const file = join(folder, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, data);
  }
}
