import { Button, Text } from '@mantine/core';
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import blocks from '../../ui/display/Blocks.module.css';
import { Technical } from '../../ui/display/format';
import { Section } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import { useAction } from '../../ui/feedback/action';
import { sentenceOf } from '../../ui/feedback/toast';
import classes from './Backups.module.css';

type Chats = Posts['/panel/api/backuptochatbot']['reply'];

/** Sends a new backup to the admins through the chat bot, and shows which chat got it. */
export function ChatDelivery() {
  const { t } = useTranslation('backups');
  const [chats, setChats] = useState<Chats>([]);
  const [refusal, setRefusal] = useState('');
  const sending = useAction({ stale: [], silent: true, run: () => api.post('/panel/api/backuptochatbot') });
  const send = (): void => {
    setChats([]);
    setRefusal('');
    sending.mutate(undefined, {
      onSuccess: ({ obj }) => setChats(obj),
      onError: (error) => setRefusal(sentenceOf(error)),
    });
  };
  return (
    <Section
      title={t('chat')}
      actions={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconSend size={14} />}
          loading={sending.isPending}
          onClick={send}
        >
          {t('chat.send')}
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        {t('chat.body')}
      </Text>
      {refusal !== '' && (
        <Text size="sm" c="var(--bad)" role="alert" mt="xs">
          {refusal}
        </Text>
      )}
      {chats.length > 0 && (
        <ul className={`${blocks['list']} ${classes['list']}`}>
          {chats.map(({ chatId, success, msg }) => (
            <li key={chatId}>
              <Technical>{chatId}</Technical>
              <Status tone={success ? 'good' : 'bad'}>{success ? t('chat.sent') : msg}</Status>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
