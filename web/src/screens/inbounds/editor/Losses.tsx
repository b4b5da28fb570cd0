import { useTranslation } from 'react-i18next';
import { Losses as Sentences } from '../../../ui/form/Losses';
import { useLabels } from '../labels';
import { type Aside, lossesOf, switchedOff } from './aside';
import type { Draft } from './draft';

/** What a save of the inbound drops. */
export function Losses({ draft, aside }: { readonly draft: Draft; readonly aside: Aside }) {
  const { t } = useTranslation('inbounds');
  const labels = useLabels();
  const off = switchedOff(draft, aside);
  const labelOf = (member: string): string => {
    if (member === 'tlsSettings' || member === 'realitySettings')
      return t(member === 'tlsSettings' ? 'option.tls' : 'option.reality');
    return labels({ name: member }).label;
  };
  const more = off === null ? [] : [t('aside.off', { security: off.toUpperCase() })];
  return <Sentences losses={lossesOf(draft, aside)} labelOf={labelOf} more={more} />;
}
