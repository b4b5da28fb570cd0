import { Anchor, Button, Text } from '@mantine/core';
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import blocks from '../../ui/display/Blocks.module.css';
import { Technical } from '../../ui/display/format';
import { Section } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import { useAction } from '../../ui/feedback/action';
import { sentenceOf } from '../../ui/feedback/toast';
import classes from './Backups.module.css';
import { chatBot } from './queries';

type Chats = Posts['/panel/api/backuptochatbot']['reply'];

/** Sends a new backup to the admins through the chat bot, and shows which chat got it. */
export function ChatDelivery() {
  const { t } = useTranslation('backups');
  const [chats, setChats] = useState<Chats>([]);
  const [refusal, setRefusal] = useState('');
  const { data: isOn } = useQuery({ ...chatBot, enabled: useMay()('/panel/setting/defaultSettings') });
  const isOff = isOn === false;
  const reason = useId();
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
          disabled={isOff}
          aria-describedby={isOff ? reason : undefined}
          onClick={send}
        >
          {t('chat.send')}
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        {t('chat.body')}
      </Text>
      {isOff && (
        <Text id={reason} size="sm" mt="xs">
          {t('chat.off')}{' '}
          <Anchor component={Link} to="/settings?group=bot" inherit>
            {t('chat.settings')}
          </Anchor>
        </Text>
      )}
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
