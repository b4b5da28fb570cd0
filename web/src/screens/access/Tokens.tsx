import { Button, Menu, Stack, Text } from '@mantine/core';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import blocks from '../../ui/display/Blocks.module.css';
import { Technical, useFormat } from '../../ui/display/format';
import { Loaded, Section } from '../../ui/display/Page';
import rows from '../../ui/display/Rows.module.css';
import { Status } from '../../ui/display/Status';
import { useAction } from '../../ui/feedback/action';
import { confirmLoss } from '../../ui/feedback/confirm';
import { useAddressFlag } from '../../ui/table/filters';
import { useRowMenu } from '../../ui/table/RowMenu';
import classes from './Access.module.css';
import { ApiTokenSwitch } from './ApiTokenSwitch';
import { type AccessToken, admins as adminsQuery, STALE, tokens as tokensQuery } from './queries';
import { RotateToken, type Secret, TokenSecret } from './Secrets';
import { TokenForm } from './TokenForm';

const SOON_MS = 14 * 86_400_000;

/** Tokens of programs, and the API token of 3x-ui. */
export function Tokens() {
  const { t } = useTranslation('access');
  const query = useQuery(tokensQuery);
  const may = useMay();
  const [isAdding, setAdding] = useAddressFlag('newToken');
  const [edited, setEdited] = useState<AccessToken | null>(null);
  const [rotated, setRotated] = useState<AccessToken | null>(null);
  const [secret, setSecret] = useState<Secret | null>(null);
  const mayAdd = may('/panel/api/tokens/add');
  return (
    <Stack gap="sm">
      <Section
        title={t('tokens')}
        actions={
          mayAdd && (
            <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
              {t('tokens.add')}
            </Button>
          )
        }
      >
        <Loaded query={query} rows={3}>
          {(all) =>
            all.length === 0 ? (
              <Text size="sm" c="dimmed">
                {t('tokens.none')}
              </Text>
            ) : (
              <List tokens={all} onEdit={setEdited} onRotate={setRotated} />
            )
          }
        </Loaded>
      </Section>
      {may('/panel/api/setting/sources') && <ApiTokenSwitch />}
      {edited && <TokenForm token={edited} onSecret={setSecret} onClose={() => setEdited(null)} />}
      {isAdding && mayAdd && <TokenForm token={null} onSecret={setSecret} onClose={() => setAdding(false)} />}
      {rotated && <RotateToken token={rotated} onSecret={setSecret} onClose={() => setRotated(null)} />}
      {secret && <TokenSecret {...secret} onClose={() => setSecret(null)} />}
    </Stack>
  );
}

interface ListProps {
  readonly tokens: readonly AccessToken[];
  readonly onEdit: (token: AccessToken) => void;
  readonly onRotate: (token: AccessToken) => void;
}

function List({ tokens, onEdit, onRotate }: ListProps) {
  const { t } = useTranslation('access');
  const may = useMay();
  const revoking = useAction<AccessToken>({
    stale: STALE,
    run: ({ id }) => api.post('/panel/api/tokens/revoke/:id', { params: { id } }),
  });
  const revoke = (token: AccessToken): void =>
    confirmLoss({
      title: t('revoke.title', { name: token.name }),
      body: t('revoke.body'),
      action: t('revoke'),
      run: () => revoking.mutate(token),
    });
  const [menuButton, menu] = useRowMenu<AccessToken>(
    ({ name }) => t('actionsFor', { name }),
    (token) => (
      <>
        {may('/panel/api/tokens/update/:id') && (
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onEdit(token)}>
            {t('tokens.edit')}
          </Menu.Item>
        )}
        {may('/panel/api/tokens/rotate/:id') && (
          <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => onRotate(token)}>
            {t('rotate')}
          </Menu.Item>
        )}
        {may('/panel/api/tokens/revoke/:id') && (
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => revoke(token)}>
            {t('revoke')}
          </Menu.Item>
        )}
      </>
    ),
  );
  return (
    <>
      <ul className={blocks['list']} aria-label={t('tokens')}>
        {tokens.map((token) => (
          <li key={token.id} className={rows['row']}>
            <About token={token} />
            {menuButton(token)}
          </li>
        ))}
      </ul>
      {menu}
    </>
  );
}

function About({ token }: { readonly token: AccessToken }) {
  const { t } = useTranslation('access');
  const format = useFormat();
  const { data: admins = [] } = useQuery(adminsQuery);
  const { name, prefix, role, admin, addresses, previousUntil, usedAt, usedFrom } = token;
  const owner = admins.find(({ id }) => id === admin)?.username;
  return (
    <div className={rows['main']}>
      <div className={rows['name']}>
        <bdi>{name}</bdi>
        <span className={classes['role']}>{role}</span>
        <Expiry expiresAt={token.expiresAt} />
      </div>
      <div className={rows['note']}>
        <Technical>{prefix}…</Technical>
        {owner !== undefined && ` · ${t('tokens.of', { name: `\u2068${owner}\u2069` })}`}
        {' · '}
        {addresses.length === 0 ? t('tokens.anywhere') : <Technical>{addresses.join(', ')}</Technical>}
      </div>
      <div className={rows['note']}>
        {usedAt === null ? t('used.never') : t('used.at', { when: format.relative(usedAt) })}
        {usedFrom !== null && (
          <>
            {' · '}
            <Technical>{usedFrom}</Technical>
          </>
        )}
        {previousUntil !== null && ` · ${t('rotate.until', { when: format.dateTime(previousUntil) })}`}
      </div>
    </div>
  );
}

function Expiry({ expiresAt }: Pick<AccessToken, 'expiresAt'>) {
  const { t } = useTranslation('access');
  const format = useFormat();
  if (expiresAt === 0) return null;
  const left = expiresAt - Date.now();
  if (left <= 0) return <Status tone="bad">{t('expires.over')}</Status>;
  return <Status tone={left < SOON_MS ? 'warn' : 'quiet'}>{t('expires.at', { date: format.date(expiresAt) })}</Status>;
}
