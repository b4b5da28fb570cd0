import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    clients: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'clients',
  icon: IconUsers,
  group: 'traffic',
  key: 'c',
  route: '/panel/api/clients/page',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Clients')).Clients,
};
