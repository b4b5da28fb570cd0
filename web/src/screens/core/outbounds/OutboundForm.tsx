import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { JsonObject } from '../../../model/json';
import { Losses } from '../../../ui/form/Losses';
import type { FieldDefinition } from '../Fields';
import { PartForm } from '../PartForm';
import { textAt } from '../template';
import { changed, lossesOf, outboundFields } from './outbound-fields';

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
  const fieldsOf = (part: JsonObject): readonly FieldDefinition[] =>
    outboundFields(
      part,
      others,
      (label) => t(`field.${label}`),
      (help) => t(`help.${help}`),
    );
  /** As its input, where the former protocol has one. */
  const labelOf = (member: string, protocol: string): string =>
    fieldsOf(kept.get(protocol) ?? {}).find(({ path }) => path === `settings.${member}`)?.label ?? member;
  return (
    <PartForm
      title={outbound ? t('outbound.edit', { tag: textAt(outbound, 'tag') }) : t('outbound.add')}
      start={outbound ?? FRESH}
      fieldsOf={fieldsOf}
      note={(part) => <Losses losses={lossesOf(part, kept)} labelOf={labelOf} />}
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
