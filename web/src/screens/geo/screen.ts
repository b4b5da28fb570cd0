import IconWorld from '@tabler/icons-react/dist/esm/icons/IconWorld.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    geo: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'geo',
  icon: IconWorld,
  group: 'system',
  key: 'w',
  permission: 'geo:read',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Geo')).Geo,
};
