import { NativeSelect, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, type Done } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import { DrawerForm } from '../../ui/form/DrawerForm';
import { type Admin, STALE } from './queries';

const HAND_OVER = '/panel/api/admins/handOver';
export type HandedOver = Posts[typeof HAND_OVER]['reply'];

/** All clients of an admin go to another one, or to no one. */
export const handOverRequest = (from: Admin, owner: string) =>
  api.request(HAND_OVER, { body: { from: from.id, owner: Number(owner) } });

export const takeBack = (from: Admin, { obj }: Done<HandedOver>) =>
  api.post(HAND_OVER, { body: { clients: obj.clients, owner: from.id } });

interface Props {
  readonly admin: Admin;
  readonly admins: readonly Admin[];
  readonly onClose: () => void;
}

/** Hands all clients of an admin over. */
export function HandOver({ admin, admins, onClose }: Props) {
  const { t } = useTranslation('access');
  const others = admins.filter(({ id }) => id !== admin.id);
  const form = useForm({ initialValues: { owner: String(others[0]?.id ?? 0) } });
  return (
    <DrawerForm<{ owner: string }, HandedOver>
      title={t('handOverTitle', { name: admin.username })}
      submit={t('handOver')}
      form={form}
      request={({ owner }) => handOverRequest(admin, owner)}
      stale={[...STALE, ['inbounds']]}
      undo={(_, done) => takeBack(admin, done)}
      onClose={onClose}
    >
      <Text size="sm">{t('handOver.body', { count: admin.clients })}</Text>
      <HeirSelect admins={others} {...form.getInputProps('owner')} />
    </DrawerForm>
  );
}

interface HeirProps {
  readonly admins: readonly Admin[];
  readonly value?: string;
  readonly onChange?: (event: { currentTarget: { value: string } }) => void;
}

/** Who gets the clients. */
export function HeirSelect({ admins, ...input }: HeirProps) {
  const { t } = useTranslation('access');
  return (
    <NativeSelect
      label={t('handOver.to')}
      data={[
        ...admins.map(({ id, username, role }) => ({ value: String(id), label: `${username} (${role})` })),
        { value: '0', label: t('handOver.nobody') },
      ]}
      {...input}
    />
  );
}
