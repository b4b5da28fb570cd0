import { run } from './cli/program.js';

// `portolan events export | head` ends the reader first, which is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// What this process or the core creates is for nobody else: the databases and their side files make no mode of their own.
process.umask(0o077);
// Inside a process group of its own the exit code is all that is left to say.
// Only who serves waits until the servers are loaded.
process.exitCode = await run(process.argv, process.env, async (config) =>
  (await import('./app/serve.js')).serve(config),
);
// Sockets of the core's API and idle timers are not worth waiting for once everything is closed.
process.exit();
