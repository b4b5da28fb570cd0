import IconUsersGroup from '@tabler/icons-react/dist/esm/icons/IconUsersGroup.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    access: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'access',
  icon: IconUsersGroup,
  group: 'security',
  key: 'u',
  route: '/panel/api/admins/list',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Access')).Access,
};
