import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    audit: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'audit',
  icon: IconHistory,
  group: 'security',
  key: 'a',
  route: '/panel/api/audit/page',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Audit')).Audit,
};
