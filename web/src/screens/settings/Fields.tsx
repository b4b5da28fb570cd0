import { Text } from '@mantine/core';
import IconSearchOff from '@tabler/icons-react/dist/esm/icons/IconSearchOff.mjs';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import type { SettingSources } from '../../api/contract.generated';
import { Empty, Section } from '../../ui/display/Page';
import { Locked } from '../../ui/form/Locked';
import { ApiToken } from './ApiToken';
import { Certificate } from './Certificate';
import { type FieldKey, fieldKeys, fieldOf, fields, GROUPS, type Group, type SettingKey, sameValue } from './catalog';
import type { Draft } from './draft';
import { FieldRow } from './FieldRow';
import { Preview } from './Preview';
import classes from './Settings.module.css';
import { matches } from './words';

interface Props {
  readonly sources: SettingSources;
  readonly draft: Draft;
  readonly group: Group;
  readonly search: string;
  readonly show: string;
}

/** The settings of a group, or those of all groups that a search or a filter leaves. */
export function Fields({ sources, draft, group, search, show }: Props) {
  const { t } = useTranslation('settings');
  const may = useMay();
  const isFiltered = search !== '' || show === 'changed';
  const isShown = (key: FieldKey): boolean =>
    isFiltered
      ? (search === '' || matches(t, key, search)) && (show !== 'changed' || isChanged(key, sources, draft))
      : fields[key].group === group;
  const shown = fieldKeys.filter(isShown);
  if (shown.length === 0)
    return <Empty icon={<IconSearchOff size={28} />} title={t('nothing.title')} body={t('nothing.body')} />;
  return (
    <Locked unless="/panel/setting/update">
      <div className={classes['sections']}>
        {GROUPS.filter((one) => shown.some((key) => fields[key].group === one)).map((one) => (
          <Section key={one} title={t(`group.${one}`)}>
            <Text size="sm" c="dimmed" mb="sm">
              {t(`group.${one}.help`)}
            </Text>
            {shown
              .filter((key) => fields[key].group === one)
              .map((key) => (
                <div key={key} className={classes['item']}>
                  <FieldRow
                    field={fieldOf(key, sources)}
                    edited={draft.changes.get(key)}
                    error={draft.errors[key]}
                    trustsEveryProxy={key === 'trustedProxyCIDRs' && draft.trustsEveryProxy}
                  />
                  {!isFiltered && <After field={key} sources={sources} draft={draft} />}
                </div>
              ))}
            {!isFiltered && one === 'api' && may('/panel/setting/getApiToken') && <ApiToken />}
          </Section>
        ))}
      </div>
    </Locked>
  );
}

function isChanged(key: FieldKey, sources: SettingSources, { changes }: Draft): boolean {
  const field = fieldOf(key, sources);
  if (changes.has(key)) return true;
  return field.secret ? field.isSet : !sameValue(field.value, field.source.default);
}

/** What belongs below a setting: the check of a certificate, the preview of the page. */
function After({ field, sources, draft }: Pick<Props, 'sources' | 'draft'> & { readonly field: FieldKey }): ReactNode {
  const text = (key: SettingKey): string => {
    const edited = draft.changes.get(key);
    return String(edited && !edited.secret ? edited.to : sources.settings[key].value);
  };
  switch (field) {
    case 'webKeyFile':
      return (
        <Certificate
          certFile={text('webCertFile')}
          keyFile={text('webKeyFile')}
          host={text('webDomain') || window.location.hostname}
        />
      );
    case 'subKeyFile':
      return (
        <Certificate
          certFile={text('subCertFile')}
          keyFile={text('subKeyFile')}
          host={text('subDomain') || window.location.hostname}
        />
      );
    case 'subProfileUrl':
      return <Preview title={text('subTitle')} announce={text('subAnnounce')} supportUrl={text('subSupportUrl')} />;
    default:
      return null;
  }
}
