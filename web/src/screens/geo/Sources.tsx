import { Menu, Text } from '@mantine/core';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import blocks from '../../ui/display/Blocks.module.css';
import { CopyButton } from '../../ui/display/CopyButton';
import { Technical, useFormat } from '../../ui/display/format';
import { Loaded } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import { useAction } from '../../ui/feedback/action';
import { confirmLoss } from '../../ui/feedback/confirm';
import { useRowMenu } from '../../ui/table/RowMenu';
import classes from './Geo.module.css';
import { type Source, STALE, sources as sourcesQuery } from './queries';

const TONES = { ok: 'good', failed: 'bad', never: 'quiet' } as const;

/** The admin's own lists, each with the state of its last download and the last good file. */
export function Sources({ onEdit }: { readonly onEdit: (source: Source) => void }) {
  const { t } = useTranslation('geo');
  const query = useQuery(sourcesQuery);
  const may = useMay();
  const downloading = useAction<Source>({
    stale: STALE,
    run: ({ id }) => api.post('/panel/api/custom-geo/download/:id', { params: { id } }),
  });
  const removing = useAction<Source>({
    stale: STALE,
    run: ({ id }) => api.post('/panel/api/custom-geo/delete/:id', { params: { id } }),
    canUndo: () => may('/panel/api/custom-geo/add'),
    undo: ({ type, alias, url }) => api.post('/panel/api/custom-geo/add', { body: { type, alias, url } }),
  });
  const remove = (source: Source): void =>
    confirmLoss({
      title: t('delete.title', { name: source.fileName }),
      body: t('delete.body'),
      action: t('delete'),
      run: () => removing.mutate(source),
    });
  const mayDelete = may('/panel/api/custom-geo/delete/:id');
  const mayEdit = may('/panel/api/custom-geo/update/:id');
  const mayUpdate = may('/panel/api/custom-geo/download/:id');
  const [menuButton, menu] = useRowMenu<Source>(
    ({ alias }) => t('actionsFor', { name: alias }),
    (source) => (
      <>
        {mayUpdate && (
          <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => downloading.mutate(source)}>
            {t('update')}
          </Menu.Item>
        )}
        {mayEdit && (
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onEdit(source)}>
            {t('edit')}
          </Menu.Item>
        )}
        {mayDelete && (
          <>
            {(mayEdit || mayUpdate) && <Menu.Divider />}
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => remove(source)}>
              {t('delete')}
            </Menu.Item>
          </>
        )}
      </>
    ),
  );
  return (
    <Loaded query={query} rows={3}>
      {(all) =>
        all.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('sources.none')}
          </Text>
        ) : (
          <>
            <ul className={`${blocks['list']} ${classes['list']}`}>
              {all.map((source) => (
                <Row key={source.id} source={source} menu={(mayUpdate || mayEdit || mayDelete) && menuButton(source)} />
              ))}
            </ul>
            {menu}
          </>
        )
      }
    </Loaded>
  );
}

function Row({ source, menu }: { readonly source: Source; readonly menu: ReactNode }) {
  const { t } = useTranslation('geo');
  const format = useFormat();
  const { alias, fileName, url, status, error, lastDownload, size, tags } = source;
  const example = `ext:${fileName}:${tags[0]?.toLowerCase() ?? 'tag'}`;
  return (
    <li>
      <div className={classes['head']}>
        <Text size="sm" fw={600} component="span">
          <Technical>{fileName}</Technical>
        </Text>
        <Status tone={TONES[status]}>{t(`status.${status}`)}</Status>
      </div>
      <div className={classes['url']}>
        <Technical>{url}</Technical>
      </div>
      <div className={classes['note']}>
        {size > 0
          ? t('file', { size: format.bytes(size), count: tags.length, when: format.relative(lastDownload) })
          : t('file.none')}
      </div>
      <div className={classes['actions']}>
        <CopyButton text={example} label={t('copyRule', { name: alias })} />
        {menu}
      </div>
      {error !== '' && (
        <div className={classes['why']}>
          {error}
          {size > 0 && ` ${t('kept')}`}
        </div>
      )}
    </li>
  );
}
