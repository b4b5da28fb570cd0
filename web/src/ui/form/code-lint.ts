import { jsonParseLinter } from '@codemirror/lang-json';
import { linter, lintGutter } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';

/** Marks the syntax errors of a JSON text. */
export const jsonLint = (): Extension => [linter(jsonParseLinter()), lintGutter()];
