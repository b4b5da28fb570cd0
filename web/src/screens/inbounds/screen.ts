import IconArrowBarToDown from '@tabler/icons-react/dist/esm/icons/IconArrowBarToDown.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    inbounds: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'inbounds',
  icon: IconArrowBarToDown,
  group: 'traffic',
  key: 'i',
  route: '/panel/api/inbounds/overview',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Inbounds')).Inbounds,
};
