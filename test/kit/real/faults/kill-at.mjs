// For `NODE_OPTIONS=--import`: the process ends as by kill -9, or finds the disk full, at a renaming that KIT_KILL_AT describes.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { when, to, holding } = JSON.parse(process.env['KIT_KILL_AT'] ?? '{}');
const rename = fs.renameSync;
const die = () => {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
};

fs.renameSync = (source, target) => {
  const meant = String(target).endsWith(to) && (!holding || fs.readFileSync(source, 'utf8').includes(holding));
  if (meant && when === 'before') die();
  if (meant && when === 'full')
    throw Object.assign(new Error('ENOSPC: no space left on device, rename'), { code: 'ENOSPC' });
  rename(source, target);
  if (meant && when === 'after') die();
};
syncBuiltinESMExports();
