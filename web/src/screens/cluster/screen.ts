import IconTopologyStar from '@tabler/icons-react/dist/esm/icons/IconTopologyStar3.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    cluster: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'cluster',
  icon: IconTopologyStar,
  group: 'system',
  key: 'm',
  route: '/panel/api/cluster/state',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Cluster')).Cluster,
};
