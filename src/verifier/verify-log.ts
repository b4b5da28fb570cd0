import { verifierProgram } from './program.js';

process.exitCode = await verifierProgram(process.argv.slice(2));
