import IconUserShield from '@tabler/icons-react/dist/esm/icons/IconUserShield.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    account: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'account',
  icon: IconUserShield,
  group: 'security',
  key: 'p',
  route: '/panel/api/admins/me',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Account')).Account,
};
