import IconRocket from '@tabler/icons-react/dist/esm/icons/IconRocket.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    setup: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'setup',
  icon: IconRocket,
  group: 'none',
  key: 'f',
  route: '/panel/setting/update',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Setup')).Setup,
};
