import { Fieldset, SimpleGrid } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { valueAt, withValue } from '../../../model/json';
import { ItemList } from '../../../ui/form/ItemList';
import { type Field, fieldsBySection, RARE, SECTIONS, type Section } from '../fields';
import classes from '../Inbounds.module.css';
import { useLabels } from '../labels';
import type { Draft } from './draft';
import { type FormProps, Input } from './Input';
import { itemFields, valueOf } from './values';

/** The form renderer: every field whose condition holds, by sections. */
export function FormFields(props: FormProps) {
  return SECTIONS.map((section) => {
    const shown = fieldsBySection[section].filter(({ when }) => when?.(props.draft) ?? true);
    return shown.length === 0 ? null : <Part key={section} section={section} fields={shown} form={props} />;
  });
}

interface PartProps {
  readonly section: Section;
  readonly fields: readonly Field[];
  readonly form: FormProps;
}

function Part({ section, fields, form }: PartProps) {
  const { t } = useTranslation('inbounds');
  const title = t(`section.${section}`);
  const usual = <Inputs fields={fields.filter(({ isRare }) => !isRare)} form={form} />;
  if (!RARE.has(section)) {
    const rare = fields.filter(({ isRare }) => isRare);
    return (
      <Fieldset legend={title}>
        <div className={classes['inputs']}>{usual}</div>
        {rare.length > 0 && (
          <details className={classes['more']} open={rare.some((field) => isSet(form.draft, field))}>
            <summary>{t('more')}</summary>
            <Inputs fields={rare} form={form} />
          </details>
        )}
      </Fieldset>
    );
  }
  return (
    <details className={classes['rare']} open={fields.some((field) => isSet(form.draft, field))}>
      <summary>{title}</summary>
      <p className={classes['rareHelp']}>{t(`about.${section as 'sockopt'}`)}</p>
      {usual}
    </details>
  );
}

function Inputs({ fields, form }: Omit<PartProps, 'section'>) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
      {fields.map((field) =>
        field.kind === 'items' ? (
          <Items key={field.path} field={field} {...form} />
        ) : (
          <Input key={field.path} field={field} {...form} />
        ),
      )}
    </SimpleGrid>
  );
}

/** Whether the field has a value that an admin has set. */
function isSet(draft: Draft, field: Field): boolean {
  const { skip = 0 } = field;
  const value = valueOf(draft, field);
  return Array.isArray(value)
    ? value.length > skip
    : value !== undefined && value !== '' && value !== false && value !== 0;
}

/** A list of objects: each with its inputs, to add and to remove. */
function Items({ field, ...form }: FormProps & { readonly field: Field }) {
  const { label } = useLabels()(field);
  const { draft, onChange } = form;
  return (
    <div className={classes['wide']}>
      <ItemList
        label={label}
        value={valueAt(draft, field.path)}
        fresh={{ ...field.fresh }}
        skip={field.skip ?? 0}
        onChange={(next) => onChange(withValue(draft, field.path, next))}
      >
        {(index) => (
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
            {itemFields(field, index).map((inner) => (
              <Input key={inner.path} field={inner} {...form} />
            ))}
          </SimpleGrid>
        )}
      </ItemList>
    </div>
  );
}
