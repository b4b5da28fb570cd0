import IconCertificate from '@tabler/icons-react/dist/esm/icons/IconCertificate.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    proof: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'proof',
  icon: IconCertificate,
  group: 'security',
  key: 'v',
  route: '/panel/api/proof/status',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Proof')).Proof,
};
