import IconSettings from '@tabler/icons-react/dist/esm/icons/IconSettings.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    settings: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'settings',
  icon: IconSettings,
  group: 'system',
  key: 's',
  route: '/panel/api/setting/sources',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Settings')).Settings,
};
