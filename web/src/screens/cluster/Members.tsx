import { Anchor, Menu } from '@mantine/core';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMay } from '../../api/access';
import type { ClusterMember } from '../../api/contract.generated';
import blocks from '../../ui/display/Blocks.module.css';
import { type Format, Technical, useFormat } from '../../ui/display/format';
import { Section } from '../../ui/display/Page';
import rows from '../../ui/display/Rows.module.css';
import { Status, type Tone } from '../../ui/display/Status';
import { useRowMenu } from '../../ui/table/RowMenu';
import classes from './Cluster.module.css';
import { RemoveDialog } from './RemoveDialog';

const TONES: Readonly<Record<ClusterMember['state'], Tone>> = {
  ...{ running: 'good', away: 'bad', stopped: 'quiet', unknown: 'quiet' },
};

/** Each member with its role, its state and its inbounds. */
export function Members({ members }: { readonly members: readonly ClusterMember[] }) {
  const { t } = useTranslation('cluster');
  const mayRemove = useMay()('/panel/api/cluster/remove');
  const [removed, setRemoved] = useState<ClusterMember | null>(null);
  const [menuButton, menu] = useRowMenu<ClusterMember>(
    ({ name }) => t('actionsFor', { name }),
    (member) => (
      <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => setRemoved(member)}>
        {t('remove')}
      </Menu.Item>
    ),
  );
  const leads = ({ role, state }: ClusterMember): boolean => role === 'leader' && state === 'running';
  return (
    <Section title={t('members')}>
      <ul className={blocks['list']} aria-label={t('members')}>
        {members.map((member) => (
          <li key={member.name} className={rows['row']}>
            <About member={member} />
            {mayRemove && !leads(member) && member.state !== 'unknown' && menuButton(member)}
          </li>
        ))}
      </ul>
      {menu}
      {removed && <RemoveDialog member={removed} onClose={() => setRemoved(null)} />}
    </Section>
  );
}

function About({ member }: { readonly member: ClusterMember }) {
  const { t, i18n } = useTranslation('cluster');
  const format = useFormat();
  const { name, role, state, isSelf, host, version, address, panel } = member;
  // A role of a later version has no text here.
  const roleText = i18n.exists(`role.${role}`, { ns: 'cluster' }) ? t(`role.${role}` as 'role.leader') : role;
  const places = [
    address === '' ? t('address.none') : t('address', { address }),
    panel === '' ? '' : t('panel', { panel }),
    version === '' ? '' : t('version', { version }),
  ];
  return (
    <div className={rows['main']}>
      <div className={rows['name']}>
        <bdi>{name}</bdi>
        <Status tone={TONES[state]}>{state === 'running' && roleText !== '' ? roleText : t(`state.${state}`)}</Status>
        {isSelf && <span className={rows['note']}>{t('self')}</span>}
      </div>
      <div className="number">{progressOf(member, t, format)}</div>
      <Problems member={member} />
      <div className={rows['note']}>
        {host !== '' && (
          <>
            <Technical>{host}</Technical>
            {' · '}
          </>
        )}
        {places.filter(Boolean).join(' · ')}
      </div>
      <Inbounds member={member} />
    </div>
  );
}

/** What is wrong with a member that runs; nothing for one that is well. */
function Problems({
  member: { state, unknownAt, clockMs, clockWrong, missingFiles },
}: {
  readonly member: ClusterMember;
}) {
  const { t } = useTranslation('cluster');
  const format = useFormat();
  if (state !== 'running') return null;
  const sentences = [
    unknownAt > 0 && t('outdated', { position: format.number(unknownAt) }),
    clockWrong && t('clock', { seconds: format.number(Math.round(Math.abs(clockMs) / 1000)) }),
    ...missingFiles.map(({ file, why }) => t('missing', { file, why })),
  ].filter((sentence) => sentence !== false);
  return sentences.map((sentence) => (
    <Status key={sentence} tone="warn" isSentence>
      {sentence}
    </Status>
  ));
}

type Translate = ReturnType<typeof useTranslation<'cluster'>>['t'];

/** How far its log is, and when it was last seen if it does not run. */
function progressOf({ state, position, lag, lagMs, seenAt }: ClusterMember, t: Translate, format: Format): string {
  if (state === 'unknown') return t('unseen');
  const at = t('position', { position: format.number(position) });
  const behind = lag === 0 ? t('upToDate') : t('behind', { count: lag, n: lag });
  const late = lagMs > 0 ? t('late', { ms: format.number(lagMs) }) : '';
  const seen = state === 'running' ? '' : t('seen', { when: format.relative(seenAt) });
  return [at, behind, late, seen].filter(Boolean).join(' · ');
}

function Inbounds({ member: { inbounds } }: { readonly member: ClusterMember }) {
  const { t } = useTranslation('cluster');
  const mayOpen = useMay()('/panel/api/inbounds/overview');
  if (inbounds.length === 0) return <div className={rows['note']}>{t('inbounds.none')}</div>;
  return (
    <div className={classes['inbounds']}>
      <span className={rows['note']}>{t('inbounds', { count: inbounds.length })}</span>
      {inbounds.map(({ id, remark, tag }) =>
        mayOpen ? (
          <Anchor key={id} component={Link} to={`/inbounds/${id}`} size="xs">
            <bdi>{remark || tag}</bdi>
          </Anchor>
        ) : (
          <bdi key={id} className={rows['note']}>
            {remark || tag}
          </bdi>
        ),
      )}
    </div>
  );
}
