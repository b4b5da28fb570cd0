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
  route: '/panel/api/custom-geo/list',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Geo')).Geo,
};
