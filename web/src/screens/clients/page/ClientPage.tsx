import { Alert, Button, Menu } from '@mantine/core';
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router';
import { ApiError, api } from '../../../api/client';
import type { ClientRow } from '../../../api/contract.generated';
import { moment } from '../../../api/moment';
import { clientDetails, clientInbounds } from '../../../api/queries';
import { type ClientDetails, type ClientInbound, clientPath, emailIn, inboundName } from '../../../model/clients';
import { AuditLink } from '../../../ui/display/AuditLink';
import { Loaded, Page, Section } from '../../../ui/display/Page';
import { type ClientAction, useClientActions, useMayChange } from '../actions';
import { EditClient } from '../form/EditClient';
import { LinkPanel } from '../links/LinkPanel';
import { BulkDialog } from '../list/BulkDialog';
import { CertificateDialog } from '../personal-data/EraseDialog';
import { PersonalData } from '../personal-data/PersonalData';
import type { Certificate } from '../personal-data/queries';
import { Addresses } from './Addresses';
import { BugReport } from './BugReport';
import pageClasses from './ClientPage.module.css';
import { Facts } from './Facts';
import { StateCard } from './StateCard';
import { Timeline } from './Timeline';
import { Usage } from './UsagePanel';

/** In which state a client is, and why; also for a deleted one. */
function useWhy(email: string) {
  return useQuery({
    queryKey: ['inbounds', 'clients', 'why', email],
    queryFn: ({ signal }) => api.get('/panel/api/clients/:email/why', { params: { email }, signal }),
    refetchInterval: 30_000,
    // The reasons of an earlier moment are not computed.
    enabled: moment === null,
  });
}

/** One client: why it can or cannot connect, its links, its usage and its history. */
export function ClientPage() {
  const email = emailIn(useLocation().pathname);
  const details = useQuery({
    ...clientDetails(email),
    retry: (count, error) => !(error instanceof ApiError) && count < 3,
  });
  const inbounds = useQuery(clientInbounds);
  const [certificate, setCertificate] = useState<Certificate | null>(null);
  const navigate = useNavigate();
  const isGone = details.error instanceof ApiError && details.error.code === 'CLIENT_NOT_FOUND';
  const [first] = details.data ?? [];
  const name = first?.row.email ?? email;
  return (
    <>
      {isGone ? (
        <DeletedClient email={email} onErased={setCertificate} />
      ) : (
        <Found key={email} email={name} details={details} inbounds={inbounds.data ?? []} onErased={setCertificate} />
      )}
      {certificate && (
        // The address of the page has the erased email.
        <CertificateDialog certificate={certificate} onClose={() => void navigate('/clients', { replace: true })} />
      )}
    </>
  );
}

interface FoundProps {
  readonly email: string;
  readonly details: ReturnType<typeof useQuery<readonly ClientDetails[]>>;
  readonly inbounds: readonly ClientInbound[];
  readonly onErased: (certificate: Certificate) => void;
}

function Found({ email, details, inbounds, onErased }: FoundProps) {
  const { t } = useTranslation('clients');
  const navigate = useNavigate();
  const why = useWhy(email);
  const [edited, setEdited] = useState<ClientRow | null>(null);
  const [action, setAction] = useState<ClientAction | null>(null);
  const rows = details.data?.map(({ row }) => row) ?? [];
  const renamed = (to: string): void => {
    if (to !== email) void navigate(clientPath(to), { replace: true });
  };
  return (
    <Page
      title={email}
      back={{ to: '/clients', label: t('title') }}
      actions={<Actions rows={rows} inbounds={inbounds} onEdit={setEdited} onAction={setAction} />}
    >
      <Loaded query={details} rows={8}>
        {(all) => (
          <div className={pageClasses['grid']}>
            <div className={pageClasses['column']}>
              {moment === null && <StateCard query={why} rows={rows} />}
              <Facts details={all} inbounds={inbounds} />
              <Usage email={email} />
              {moment === null && (
                <Section title={t('timeline')} actions={<AuditLink client={email} />}>
                  <Loaded query={why} rows={4}>
                    {({ story }) => <Timeline story={story} />}
                  </Loaded>
                </Section>
              )}
            </div>
            <div className={pageClasses['column']}>
              {moment === null && <LinkPanel rows={rows} inbounds={inbounds} />}
              <Addresses email={email} addresses={all[0]?.addresses ?? []} />
              <PersonalData email={email} onErased={onErased} />
              <BugReport email={email} />
            </div>
          </div>
        )}
      </Loaded>
      {edited && <EditClient row={edited} inbounds={inbounds} onClose={() => setEdited(null)} onSaved={renamed} />}
      {action && (
        <BulkDialog
          action={action}
          target={{ clients: rows.map(({ id }) => id) }}
          inbounds={inbounds}
          onClose={() => setAction(null)}
          onDone={() => setAction(null)}
        />
      )}
    </Page>
  );
}

interface ActionsProps {
  readonly rows: readonly ClientRow[];
  readonly inbounds: readonly ClientInbound[];
  readonly onEdit: (row: ClientRow) => void;
  readonly onAction: (action: ClientAction) => void;
}

function Actions({ rows, inbounds, onEdit, onAction }: ActionsProps) {
  const { t } = useTranslation('clients');
  const { setEnabled, reset, remove } = useClientActions();
  const mayChange = useMayChange();
  const [first, ...others] = rows;
  // Each action needs the permission to extend, and some another one.
  if (!first || !mayChange('extend')) return null;
  const nameOf = (row: ClientRow): string => {
    const inbound = inbounds.find(({ id }) => id === row.inboundId);
    return inbound ? inboundName(inbound) : `#${row.inboundId}`;
  };
  const isOne = others.length === 0;
  const isEnabled = rows.some(({ enabled }) => enabled);
  const flip = (): void => (isOne ? setEnabled(first, !first.enabled) : onAction(isEnabled ? 'disable' : 'enable'));
  return (
    <>
      {isOne && mayChange('enable') && <Button onClick={() => onEdit(first)}>{t('edit')}</Button>}
      {!isOne && mayChange('enable') && (
        <Menu position="bottom-end" shadow="md" withinPortal>
          <Menu.Target>
            <Button>{t('edit')}</Button>
          </Menu.Target>
          <Menu.Dropdown>
            {rows.map((row) => (
              <Menu.Item key={row.id} onClick={() => onEdit(row)}>
                {t('editOn', { inbound: nameOf(row) })}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {mayChange('enable') && (
        <Button variant="default" onClick={flip}>
          {isEnabled ? t('disable') : t('enable')}
        </Button>
      )}
      <Menu position="bottom-end" shadow="md" withinPortal>
        <Menu.Target>
          <Button variant="default" px="xs" aria-label={t('actionsFor', { email: first.email })}>
            <IconDots size={18} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => onAction('extend')}>{t('action.extend')}</Menu.Item>
          <Menu.Item onClick={() => onAction('addTraffic')}>{t('action.addTraffic')}</Menu.Item>
          {isOne && inbounds.length > 1 && mayChange('move') && (
            <Menu.Item onClick={() => onAction('move')}>{t('action.move')}</Menu.Item>
          )}
          {mayChange('reset') && <Menu.Item onClick={() => reset(first)}>{t('reset')}</Menu.Item>}
          {mayChange('delete') && (
            <>
              <Menu.Divider />
              <Menu.Item color="red" onClick={() => (isOne ? remove(first) : onAction('delete'))}>
                {t('delete')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** An email without a client: its history, if it had one. */
function DeletedClient({ email, onErased }: Pick<FoundProps, 'email' | 'onErased'>) {
  const { t } = useTranslation('clients');
  const why = useWhy(email);
  const isUnknown = moment !== null || (why.error instanceof ApiError && why.error.code === 'CLIENT_NOT_FOUND');
  return (
    <Page title={email} back={{ to: '/clients', label: t('title') }}>
      {isUnknown ? (
        <Alert color="gray" title={t('unknown.title')}>
          {t('unknown.body', { email })}
        </Alert>
      ) : (
        <>
          <StateCard query={why} rows={[]} />
          <Section title={t('timeline')} actions={<AuditLink client={email} />}>
            <Loaded query={why} rows={4}>
              {({ story }) => <Timeline story={story} />}
            </Loaded>
          </Section>
          <PersonalData email={email} onErased={onErased} />
          <BugReport email={email} />
        </>
      )}
    </Page>
  );
}
