import { ActionIcon, Button, Menu, Stack, TextInput, Tooltip } from '@mantine/core';
import IconBookmark from '@tabler/icons-react/dist/esm/icons/IconBookmark.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../../ui/feedback/Dialog';
import type { Filters } from './filters';
import { useViews } from './views';

interface Props {
  readonly filters: Filters;
  readonly onApply: (filters: Filters) => void;
}

/** Views that this browser keeps: filters, sort and columns under a name. */
export const ViewsMenu = memo(function ViewsMenu({ filters, onApply }: Props) {
  const { t } = useTranslation('clients');
  const { views, setHidden, remove } = useViews();
  const [isSaving, setSaving] = useState(false);
  return (
    <>
      <Menu position="bottom-end" shadow="md" withinPortal trapFocus>
        <Menu.Target>
          <Tooltip label={t('views')}>
            <ActionIcon variant="default" size={36} aria-label={t('views')}>
              <IconBookmark size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          {views.map((view) => (
            <Menu.Item
              key={view.name}
              onClick={() => {
                setHidden(view.hidden);
                onApply(view.filters);
              }}
            >
              <bdi>{view.name}</bdi>
            </Menu.Item>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item onClick={() => setSaving(true)}>{t('views.save')}</Menu.Item>
          {views.map(({ name }) => (
            <Menu.Item
              key={name}
              color="red"
              leftSection={<IconTrash size={14} aria-hidden />}
              onClick={() => remove(name)}
            >
              {t('views.remove', { name })}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {isSaving && <SaveView filters={filters} onClose={() => setSaving(false)} />}
    </>
  );
});

function SaveView({ filters, onClose }: { readonly filters: Filters; readonly onClose: () => void }) {
  const { t } = useTranslation(['clients', 'shell']);
  const { hidden, save } = useViews();
  const [name, setName] = useState('');
  return (
    <Dialog onClose={onClose} title={t('views.save')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save({ name: name.trim(), filters, hidden });
          onClose();
        }}
      >
        <Stack gap="md">
          <TextInput
            label={t('views.name')}
            description={t('views.help')}
            maxLength={60}
            value={name}
            onChange={({ currentTarget: { value } }) => setName(value)}
            data-autofocus
          />
          <Button type="submit" disabled={name.trim() === ''}>
            {t('save', { ns: 'shell' })}
          </Button>
        </Stack>
      </form>
    </Dialog>
  );
}
