import { useTranslation } from 'react-i18next';
import type { Field } from './fields';

/** The label of a field and its help. A field without a text has its name in the core, which documents and people use. */
export function useLabels(): (field: Pick<Field, 'name'>) => { label: string; help: string | undefined } {
  const { t, i18n } = useTranslation('inbounds');
  const has = (key: string): boolean => i18n.exists(key, { ns: 'inbounds' });
  return ({ name }) => ({
    label: has(`field.${name}`) ? t(`field.${name}` as 'field.remark') : name,
    help: has(`help.${name}`) ? t(`help.${name}` as 'help.listen') : undefined,
  });
}
