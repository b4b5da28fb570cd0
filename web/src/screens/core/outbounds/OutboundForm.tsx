import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PartForm } from '../PartForm';
import { type JsonObject, textAt } from '../template';
import { changed, outboundFields } from './outbound-fields';

interface Props {
  /** Undefined = a new one. */
  readonly outbound: JsonObject | undefined;
  /** The names of all others. */
  readonly others: readonly string[];
  readonly onApply: (outbound: JsonObject) => void;
  readonly onClose: () => void;
}

const FRESH: JsonObject = { tag: '', protocol: 'vless', settings: { encryption: 'none' } };

/** Edits one outbound. */
export function OutboundForm({ outbound, others, ...rest }: Props) {
  const { t } = useTranslation('core');
  const [kept] = useState(() => new Map<string, JsonObject>());
  return (
    <PartForm
      title={outbound ? t('outbound.edit', { tag: textAt(outbound, 'tag') }) : t('outbound.add')}
      start={outbound ?? FRESH}
      fieldsOf={(part) => outboundFields(part, others, (label) => t(`field.${label}`))}
      edit={(before, after) => changed(before, after, kept)}
      check={(part) => {
        const tag = textAt(part, 'tag');
        if (tag === '') return { path: 'tag', text: t('outbound.noName') };
        return others.includes(tag) ? { path: 'tag', text: t('outbound.taken', { tag }) } : null;
      }}
      {...rest}
    />
  );
}
