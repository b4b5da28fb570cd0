import { Button } from '@mantine/core';
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { Empty } from '../../../ui/display/Page';

interface NothingProps {
  /** There are no clients at all. */
  readonly isNew: boolean;
  readonly onAdd: () => void;
  readonly onClear: () => void;
}

/** What the list shows without rows: how to add the first client, or how to see others. */
export function Nothing({ isNew, onAdd, onClear }: NothingProps) {
  const { t } = useTranslation('clients');
  const may = useMay();
  return (
    <Empty
      icon={<IconUsers size={28} />}
      title={isNew ? t('none.title') : t('nothing.title')}
      body={isNew ? t('none.body') : t('nothing.body')}
      action={
        (!isNew || may('/panel/api/inbounds/addClient')) && (
          <Button variant={isNew ? 'filled' : 'default'} mt="sm" onClick={isNew ? onAdd : onClear}>
            {isNew ? t('add') : t('nothing.action')}
          </Button>
        )
      }
    />
  );
}
