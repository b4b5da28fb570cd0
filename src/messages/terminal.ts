import { directionOf, type Language, languageNamed } from './language.js';
import type { Text } from './message.js';
import { render } from './render.js';

/** Renders a text for the operator. Text without a code, such as that of other programs, is shown as it is. */
export type Say = (text: Text) => string;

/** Variables that name the language, the strongest first. The last three are those of POSIX. */
const VARIABLES = ['PORTOLAN_LANG', 'LC_ALL', 'LC_MESSAGES', 'LANG'] as const;

/**
 * The language of the command line: that of the first variable that is set, as `fa`, `fa_IR` or `fa_IR.UTF-8`. English when
 * none is set, or when it names a language that the panel does not have.
 */
export function cliLanguage(env: NodeJS.ProcessEnv): Language {
  const value = VARIABLES.map((name) => env[name]).find((one) => one !== undefined && one !== '') ?? '';
  return languageNamed(value.split(/[_.@-]/)[0]) ?? 'en';
}

/** Terminals would show the marks that isolate names from the direction of a line, so they are left out. */
export function rendererFor(language: Language): Say {
  if (directionOf(language) === 'ltr') return (text) => render(text, language);
  return (text) => render(text, language).replaceAll(/[\u2068\u2069]/g, '');
}
