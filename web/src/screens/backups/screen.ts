import IconDatabase from '@tabler/icons-react/dist/esm/icons/IconDatabase.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    backups: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'backups',
  icon: IconDatabase,
  group: 'system',
  key: 'b',
  route: '/panel/api/server/backups',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Backups')).Backups,
};
