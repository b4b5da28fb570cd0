import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { journalLines } from '../../../src/adapters/logs/journal.js';
import { LogError } from '../../../src/commands/ports/logs.js';

const query = { count: 2, least: 'warning', zone: 'UTC' } as const;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

/** In the place of journalctl, which a test machine has no journal for. */
function program(script: string): string {
  const file = join(folder, 'journalctl');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

function membership(text: string): string {
  const file = join(folder, 'cgroup');
  writeFileSync(file, text);
  return file;
}
const service = () => membership('0::/system.slice/portolan.service\n');

describe('the system journal', () => {
  it('is queried for the unit of this process, without a shell', async () => {
    const lines = await journalLines(query, {
      program: program('for a in "$@"; do echo "$a"; done'),
      membership: service(),
    });
    expect(lines).toStrictEqual(['--priority', 'warning']);
    const all = await journalLines({ ...query, count: 100 }, { program: program('echo "$*"'), membership: service() });
    expect(all).toStrictEqual(['--unit portolan.service --no-pager --quiet --lines 100 --priority warning']);
  });

  it('contains no control characters and no secrets', async () => {
    const text = 'printf "a\\033[2Jb https://x/bot123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAA/y the-secret-word\\n"';
    const secrets = () => ['the-secret-word'];
    const lines = await journalLines(query, { program: program(text), membership: service(), secrets });
    expect(lines).toStrictEqual(['a\\x1b[2Jb https://x/…/y …']);
  });

  it('is queried without the environment of the panel', async () => {
    process.env['PORTOLAN_TEST_CANARY'] = 'CANARY';
    onTestFinished(() => void delete process.env['PORTOLAN_TEST_CANARY']);
    const lines = await journalLines({ ...query, count: 100 }, { program: program('env'), membership: service() });
    expect(lines.join()).not.toContain('CANARY');
  });

  it.each([
    ['0::/user.slice/session-1.scope\n', 'does not run as a systemd service'],
    ['', 'does not run as a systemd service'],
    ['0::/system.slice/-x;id.service\n', 'does not run as a systemd service'],
  ])('is reported as missing for %j', async (text, why) => {
    const asked = journalLines(query, { program: program('echo x'), membership: membership(text) });
    await expect(asked).rejects.toThrow(LogError);
    await expect(asked).rejects.toThrow(why);
  });

  it('is reported with the reason when it cannot be read', async () => {
    const where = service();
    const asked = (file: string) => journalLines(query, { program: file, membership: where });
    await expect(asked('/nowhere/journalctl')).rejects.toThrow('journalctl is not installed');
    await expect(asked(program('echo secret >&2; exit 1'))).rejects.toThrow(
      /^The system journal could not be read: journalctl failed$/,
    );
    await expect(asked(program('yes | head -c 40000000'))).rejects.toThrow('its output is too large');
  });
});
