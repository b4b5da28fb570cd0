import { useTranslation } from 'react-i18next';
import type { Json } from '../../model/json';
import type { Difference } from '../../model/merge';
import { Conflict, plainText } from '../../ui/form/Conflict';
import { fields } from './fields';
import { useLabels } from './labels';

interface Props {
  readonly found: readonly Difference[];
  readonly onMerge: (kept: ReadonlySet<string>) => void;
}

/** What another admin changed in an inbound meanwhile. Keys are masked. */
export function InboundConflict({ found, onMerge }: Props) {
  const { t } = useTranslation('inbounds');
  const labelsOf = useLabels();
  return (
    <Conflict
      title={t('conflict.title')}
      found={found}
      onMerge={onMerge}
      show={({ path, theirs, mine }) => {
        const field = fields.find((one) => one.path === path);
        const text = (value: Json | undefined): string => {
          const plain = plainText(value);
          return field?.isSecret === true && plain !== '–' ? '••••••' : plain;
        };
        return { label: labelsOf({ name: field?.name ?? path }).label, theirs: text(theirs), mine: text(mine) };
      }}
    />
  );
}
