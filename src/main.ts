// `portolan events export | head` closes the pipe early, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// Files of this process and of the core must not be readable by other accounts: SQLite sets no mode of its own.
process.umask(0o077);
// Without the English texts no command can be loaded.
const { run } = await import('./cli/program.js').catch((error: unknown) => {
  if (!(error instanceof Error) || error.name !== 'LocaleFileError') throw error;
  // As `printProblem` does, which needs the texts.
  const json = process.argv.includes('--json');
  process.stderr.write(
    `${json ? JSON.stringify({ error: error.message, code: null }) : `portolan: ${error.message}`}\n`,
  );
  process.exit(1);
});
// Only `serve` loads the servers, which takes a while.
process.exitCode = await run(process.argv, process.env, async (...args) =>
  (await import('./app/serve.js')).serve(...args),
);
// Everything is closed: do not wait for idle sockets of the core's API and for timers.
process.exit();
