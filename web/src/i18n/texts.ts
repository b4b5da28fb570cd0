import type login from '../login/texts/en.json';
import type shell from '../shell/texts/en.json';

/**
 * The texts by namespace: the shells here, each screen in its own `screen.ts` by declaration merging. i18next derives the
 * types of all keys from it, so a misspelt key does not compile.
 */
export interface Texts {
  shell: typeof shell;
  login: typeof login;
}

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'shell';
    keySeparator: false;
    nsSeparator: false;
    resources: Texts;
  }
}
